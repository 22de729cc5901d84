package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/**
 * Fetching the keys that verify tokens, where {@code mp.jwt.verify.publickey.location} is an HTTP
 * address.
 */
public interface KeysConfig {

    /**
     * Interval between fetches, 0.1 s to 1 day. A withdrawn key stays trusted for up to this long.
     */
    @WithDefault("PT5M")
    Duration refresh();

    /**
     * Minimum interval between fetches, 0.1 s to 5 minutes, after a failed one and when a token
     * names an unknown key.
     */
    @WithDefault("PT5S")
    Duration retry();

    /** How long a fetch may take, 0.1 s to 30 s. Requests never wait for one. */
    @WithDefault("PT3S")
    Duration timeout();
}
