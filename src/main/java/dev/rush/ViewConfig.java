package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Views that answer reads without Redis. */
public interface ViewConfig {

    /** Age at which a read asks Redis for a new view. A view is served twice as old at most. */
    @WithDefault("PT0.1S")
    Duration refresh();

    /** How long a pod may say sold-out by itself after Redis said so; zero switches it off. */
    @WithDefault("PT0.1S")
    Duration soldOut();

    /** Sales and rains remembered per pod, least recently used dropped first. */
    @WithDefault("10000")
    long entries();
}
