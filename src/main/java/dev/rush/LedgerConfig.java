package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Access to PostgreSQL. Its address, pool and timeouts are {@code quarkus.datasource.*}. */
public interface LedgerConfig {

    /**
     * Threads that work on the ledger, 1 to 100. More than connections in the pool
     * ({@code quarkus.datasource.jdbc.max-size}) only wait for one.
     */
    @WithDefault("8")
    int threads();

    /**
     * How long a client waits for the ledger before {@code unavailable}. Longer than a lock
     * may take, so that a busy ledger is not taken for one that hangs.
     */
    @WithDefault("PT6S")
    Duration deadline();

    /** Calls that may wait for a thread; beyond it a call is {@code unavailable}. */
    @WithDefault("1000")
    int queue();
}
