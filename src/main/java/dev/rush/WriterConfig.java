package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Moving accepted orders from Redis to PostgreSQL. */
public interface WriterConfig {

    /** Entries in one transaction, 1 to 2000. One that fails is taken apart. */
    @WithDefault("1000")
    int batch();

    /** Threads that write, hence connections that they use, 1 to 32. */
    @WithDefault("3")
    int threads();

    /**
     * How long a writer may be silent before others take its partitions, 0.5 s to 30 s. A
     * take-over takes this and a quarter more at most.
     */
    @WithDefault("PT10S")
    Duration lease();

    /**
     * Looks a second at all partitions that hold a sale or rain when nothing happens, 1 to
     * 1000 in all, and as many for changes that operators made. Redis pays for each; an order of
     * this pod is looked for at once anyway.
     */
    @WithDefault("8")
    int idleLooks();

    /** How often an entry that fails for a reason of its own is tried, 1 to 100. */
    @WithDefault("5")
    int tries();

    /** Pause after the first failed try of an entry, 0.01 s to 60 s; it doubles with each one. */
    @WithDefault("PT0.5S")
    Duration retry();
}
