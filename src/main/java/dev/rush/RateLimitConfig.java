package dev.rush;

import io.smallrye.config.WithDefault;

/** Limits per user and pod. */
public interface RateLimitConfig {

    /** Whether buyers are limited. Operators, payers and auditors never are. */
    @WithDefault("true")
    boolean enabled();

    /** Requests a second that a user may send for any length of time. */
    @WithDefault("50")
    long perSecond();

    /** Requests that a user may send at once after a pause. */
    @WithDefault("100")
    long burst();

    /**
     * Users whose rate a pod remembers, at least. They lie in sets of eight; when a set is full,
     * the user of it who is closest to a full burst is forgotten.
     */
    @WithDefault("100000")
    int users();
}
