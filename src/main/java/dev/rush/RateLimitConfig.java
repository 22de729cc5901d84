package dev.rush;

import io.smallrye.config.WithDefault;

/** Limits per user and pod. */
public interface RateLimitConfig {

    /** Whether buyers are limited. Operators, payers and auditors never are. */
    @WithDefault("true")
    boolean enabled();

    /** Requests a second that a user may go on with. */
    @WithDefault("50")
    long perSecond();

    /** Requests that a user may send at once after a pause. */
    @WithDefault("100")
    long burst();

    /** Users told apart per pod whose burst is not whole; beyond, the wholest is forgotten. */
    @WithDefault("100000")
    int users();
}
