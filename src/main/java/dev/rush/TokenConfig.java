package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Verified tokens. Issuer, audience and key are {@code mp.jwt.verify.*}. */
public interface TokenConfig {

    /**
     * Maximum age of a token since its {@code iat}, 1 min to 365 days, even if it expires later. A
     * token without {@code iat} is refused.
     */
    @WithDefault("PT24H")
    Duration maxAge();
}
