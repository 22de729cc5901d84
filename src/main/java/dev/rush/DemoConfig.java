package dev.rush;

import io.smallrye.config.WithDefault;

/** The demo: a shop window and a rain in the browser. */
public interface DemoConfig {

    /**
     * Whether {@code /demo} is served. While it is off, its paths are 404. Its pages add no rights:
     * "Pay now" works for a buyer only with {@code rush.confirm-by=buyer}, as in dev mode.
     */
    @WithDefault("false")
    boolean enabled();
}
