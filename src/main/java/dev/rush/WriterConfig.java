package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Moving accepted orders from Redis to PostgreSQL. */
public interface WriterConfig {

    /**
     * Orders and grabs in one transaction, 1 to 2000; as entries of the stream are read whole, some
     * more are possible. If a row makes the transaction fail, it is repeated in halves.
     */
    @WithDefault("2000")
    int batch();

    /** Threads that write, each with a connection, 1 to 32. */
    @WithDefault("3")
    int threads();

    /**
     * How long a writer may be silent before others take over its partitions, 0.5 s to 30 s. A
     * take-over needs at most a quarter more than this.
     */
    @WithDefault("PT10S")
    Duration lease();

    /**
     * Polls per second while idle, 1 to 1000, over all partitions that hold a sale or rain, and as
     * many for operators' changes. Each costs Redis a command; an order of this pod triggers a poll
     * at once anyway.
     */
    @WithDefault("8")
    int idlePolls();

    /** Tries of an entry that fails for a reason of its own, 1 to 100. */
    @WithDefault("5")
    int tries();

    /** Backoff after the first failed try of an entry, 0.01 s to 60 s; it doubles with each one. */
    @WithDefault("PT0.5S")
    Duration retry();
}
