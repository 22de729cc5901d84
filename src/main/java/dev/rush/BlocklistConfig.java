package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** The copy of the blocklist. */
public interface BlocklistConfig {

    /** The most users on it, 1 to 10,000,000: each pod keeps about 130 bytes of heap for each. */
    @WithDefault("1000000")
    int users();

    /** Time between two looks for changes, 0.01 s to 1 s. */
    @WithDefault("PT0.4S")
    Duration refresh();
}
