package dev.rush.testing;

import java.util.function.Supplier;

/** The environments in which a parameterized class runs each of its tests once. */
public enum Setting {
    /** One Redis. */
    SINGLE(Environments::single),
    /** A Redis Cluster. */
    CLUSTER(Environments::cluster),
    /** Sales in three shards on one Redis. */
    SHARDS(() -> Environments.inShards(Environments.single())),
    /** Sales in three shards on three masters. */
    CLUSTER_SHARDS(() -> Environments.inShards(Environments.cluster()));

    private final Supplier<Environment> environment;

    Setting(Supplier<Environment> environment) {
        this.environment = environment;
    }

    /** Returns the environment that all tests of this JVM share. */
    public Environment environment() {
        return environment.get();
    }
}
