package dev.rush;

import io.smallrye.config.WithDefault;

/** The console: what operators, payers and auditors see and do in the browser. */
public interface ConsoleConfig {

    /**
     * Whether {@code /console} is served. Its page calls what its user's token may call and adds
     * no rights; while it is off, its paths are unknown ones.
     */
    @WithDefault("false")
    boolean enabled();
}
