package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** The copy of the blocklist. */
public interface BlocklistConfig {

    /** Time between two looks at the version, 0.01 s to 1 s. */
    @WithDefault("PT0.4S")
    Duration refresh();
}
