package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Views that answer reads without Redis. */
public interface ViewConfig {

    /**
     * Age at which a read asks Redis for a new view, 0.01 s to 10 s. A view is served twice as old
     * at most: less than a hundredth of a second spares Redis nothing, more than ten mislead.
     */
    @WithDefault("PT0.1S")
    Duration refresh();

    /**
     * How long a pod may say sold-out by itself after Redis said so, at most 10 s, as units may
     * have come back; zero switches it off.
     */
    @WithDefault("PT0.1S")
    Duration soldOut();

    /** Sales and rains remembered per pod, least recently used dropped first. */
    @WithDefault("10000")
    long entries();
}
