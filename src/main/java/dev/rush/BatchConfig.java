package dev.rush;

import io.smallrye.config.WithDefault;

/** Batching of waiting requests into script calls. */
public interface BatchConfig {

    /**
     * Requests in one script call, 1 to 1000. A call of 128 occupies Redis for about 0.4 ms, and
     * larger ones gain little.
     */
    @WithDefault("128")
    int size();

    /**
     * Concurrent script calls per event loop and per shard of a sale, or rain, 1 to 64. Two keep
     * Redis busy.
     */
    @WithDefault("2")
    int inFlight();

    /**
     * Requests waiting per event loop and per shard of a sale, or rain; beyond that, a request is
     * {@code unavailable}.
     */
    @WithDefault("20000")
    int queue();
}
