package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Each pod's copy of the blocklist. */
public interface BlocklistConfig {

    /**
     * Maximum number of blocked users, 1 to 10,000,000. Each takes about 130 bytes of every pod's
     * heap.
     */
    @WithDefault("1000000")
    int users();

    /** Interval at which pods poll for changes, 0.01 s to 1 s. */
    @WithDefault("PT0.4S")
    Duration refresh();
}
