package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Access to PostgreSQL. Its address and the pool are {@code quarkus.datasource.*}. */
public interface LedgerConfig {

    /**
     * Threads that work on the ledger, 1 to 100; books, repairs, archivings and erasures have three
     * of their own. Changes use all but one, reads half of them, but at least one. More threads
     * than connections in the pool ({@code quarkus.datasource.jdbc.max-size}) only wait for one.
     */
    @WithDefault("8")
    int threads();

    /**
     * How long a client waits for the ledger, 0.2 s to 2 min. Then its call is {@code unavailable}
     * if it never ran, else {@code outcome-unknown}. Must exceed {@code lock-timeout}, so that
     * contention is not reported as an outage; the start checks it.
     */
    @WithDefault("PT6S")
    Duration deadline();

    /**
     * Changes that may wait for a thread; beyond that, a call is {@code unavailable}. Half as many
     * reads may wait.
     */
    @WithDefault("1000")
    int queue();

    /**
     * Purchases and grabs that may wait until the ledger has decided ({@code durability: ledger}),
     * 1 to 1,000,000; beyond that, one is {@code unavailable} and takes nothing.
     */
    @WithDefault("20000")
    int waiting();

    /**
     * Time limit of one statement, 0.1 s to 5 min, and of the idle time between two in a
     * transaction. PostgreSQL enforces it ({@code statement_timeout}), so that no connection keeps
     * working for a dead pod. Must be below the driver's {@code socketTimeout} (15 s), which ends
     * the connection itself; the start checks it.
     */
    @WithDefault("PT10S")
    Duration statementTimeout();

    /** Limit of a statement's wait for a lock ({@code lock_timeout}), 0.1 s to 1 min. */
    @WithDefault("PT4S")
    Duration lockTimeout();
}
