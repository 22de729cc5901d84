package dev.rush;

import io.smallrye.config.WithDefault;

/** Limits per user and pod. */
public interface RateLimitConfig {

    /** Whether buyers are limited. Operators, payers and auditors never are. */
    @WithDefault("true")
    boolean enabled();

    /** Requests per second that a user may send continuously. */
    @WithDefault("50")
    long perSecond();

    /** Requests that a user may send at once after a pause. */
    @WithDefault("100")
    long burst();

    /**
     * Minimum number of users whose rate a pod tracks, in sets of eight. When a set is full, its
     * user with the fullest bucket is evicted.
     */
    @WithDefault("100000")
    int users();
}
