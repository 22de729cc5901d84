package dev.rush.testing;

import java.util.Map;

/**
 * A Redis of one kind and a database of its own: what a suite runs against, once on each kind. It
 * is shared by all suites of a JVM, so that a suite uses sales and rains of its own and breaks
 * nothing.
 */
public interface Environment {
    /** Returns the name, also of the shared pod's log. */
    String name();

    /** Returns {@code quarkus.redis.hosts}. */
    String redisHosts();

    /** Returns {@code quarkus.redis.client-type}. */
    String clientType();

    /** Opens a connection to the node that holds a key; the caller closes it. */
    Resp resp(String key);

    /** Returns the JDBC URL of the environment's database. */
    String ledgerUrl();

    /** Returns the shared pod, started when it is first asked for. */
    Pod pod();

    /** Returns how many shards a sale of this environment has unless it says so itself. */
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
