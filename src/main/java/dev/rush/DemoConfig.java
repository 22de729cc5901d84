package dev.rush;

import io.smallrye.config.WithDefault;

/** The demonstration: a shop window and a rain in the browser. */
public interface DemoConfig {

    /**
     * Whether {@code /demo} is served. Its pages call what every visitor may call and add no
     * rights; while it is off, their paths are unknown ones.
     */
    @WithDefault("false")
    boolean enabled();
}
