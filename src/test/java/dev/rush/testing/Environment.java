package dev.rush.testing;

import java.util.Map;

/**
 * A single Redis or a cluster, with its own database. A suite runs against each kind. All suites of
 * a JVM share it, so a suite uses its own sales and rains and breaks nothing.
 */
public interface Environment {
    /** Returns the name, which the shared pod's log has, too. */
    String name();

    /** Returns {@code quarkus.redis.hosts}. */
    String redisHosts();

    /** Returns {@code quarkus.redis.client-type}. */
    String clientType();

    /** Opens a connection to the node that holds a key; the caller closes it. */
    Resp resp(String key);

    /** Returns the JDBC URL of the environment's database. */
    String ledgerUrl();

    /** Returns the shared pod, started on first use. */
    Pod pod();

    /** Returns the default number of shards of a sale in this environment. */
    default int shards() {
        return 1;
    }

    /** Returns a client of the shared pod. */
    default Api api() {
        return pod().api();
    }

    /** Returns the properties with which a pod finds Redis and the ledger. */
    default Map<String, String> config() {
        return Map.of(
                "quarkus.redis.hosts", redisHosts(),
                "quarkus.redis.client-type", clientType(),
                "quarkus.datasource.jdbc.url", ledgerUrl());
    }
}
