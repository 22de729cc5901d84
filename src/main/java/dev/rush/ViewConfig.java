package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Views that answer reads without Redis. */
public interface ViewConfig {

    /**
     * Age at which a read fetches a new view from Redis, 0.01 s to 10 s. A served view is at most
     * twice as old. Less than a hundredth of a second saves Redis nothing; more than ten seconds
     * misleads.
     */
    @WithDefault("PT0.1S")
    Duration refresh();

    /**
     * How long a pod may answer sold-out from its cache, at most 10 s, because units may have come
     * back; zero switches the cache off.
     */
    @WithDefault("PT0.1S")
    Duration soldOut();

    /** Sales and rains cached per pod; the least recently used are evicted first. */
    @WithDefault("10000")
    long entries();
}
