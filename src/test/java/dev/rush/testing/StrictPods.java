package dev.rush.testing;

import dev.rush.dev.EmbeddedRedis;
import java.util.Map;

/**
 * Pods with the strictest limits: a user may send one request a second, and one order that waits
 * for the ledger is a backlog. Each has its own Redis, because nothing may remove that order.
 */
public final class StrictPods {
    private static Environment single;
    private static Environment cluster;

    private StrictPods() {
    }

    /** Returns an environment with one Redis, whose shared pod is strict. */
    public static synchronized Environment single() {
        if (single == null) {
            single = strict(Environments.on("strict-single", EmbeddedRedis.start()));
        }
        return single;
    }

    /** Returns an environment with a Redis Cluster, whose shared pod is strict. */
    public static synchronized Environment cluster() {
        if (cluster == null) {
            cluster = strict(Environments.on("strict-cluster", RedisClusterNodes.start()));
        }
        return cluster;
    }

    private static Environment strict(Environment environment) {
        Pod pod = Environments.startPod(environment.name(), environment, Map.of(
                "rush.role", "api",
                "rush.orders.sink", "postgres",
                "rush.backlog", "1",
                "rush.rate-limit.per-second", "1",
                "rush.rate-limit.burst", "1"));
        return new ForwardingEnvironment(environment) {
            @Override
            public Pod pod() {
                return pod;
            }
        };
    }
}
