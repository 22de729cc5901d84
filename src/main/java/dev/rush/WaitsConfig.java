package dev.rush;

import io.smallrye.config.WithDefault;

/** Requests that wait until an order is no longer accepted ({@code ?wait=}). */
public interface WaitsConfig {

    /**
     * Waiting requests per pod, 1 to 1000000; beyond that, one is {@code unavailable}. Each takes a
     * connection, but no thread.
     */
    @WithDefault("1000")
    int requests();

    /**
     * Waiting requests per pod and user, 1 to 1000000, so that no user takes them all; beyond that,
     * one is {@code rate-limited}. Operators, payers and auditors are exempt.
     */
    @WithDefault("10")
    int perUser();
}
