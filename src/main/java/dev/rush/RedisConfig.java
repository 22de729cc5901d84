package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** How long Redis is waited for. A Redis that hangs is treated like one that is dead. */
public interface RedisConfig {

    /**
     * Limit of opening a connection, 0.1 s to 1 s: connect, TLS, HELLO, loading the scripts and
     * reading the clock together. Then the calls that wait for it are free to go elsewhere.
     */
    @WithDefault("PT0.8S")
    Duration connect();

    /**
     * How long a connection may leave calls without any reply before it is closed, 0.1 s to 10 s;
     * never longer than {@code rush.deadline}. The outcome of those calls is unknown.
     */
    @WithDefault("PT2S")
    Duration silence();

    /** Time between two looks at masters and cluster topology, 0.1 s to 2 s. */
    @WithDefault("PT1S")
    Duration watch();

    /**
     * Single calls (all but purchases and grabs) under way per event loop, 100 or more; beyond it a
     * call is {@code unavailable}.
     */
    @WithDefault("20000")
    int calls();

    /**
     * The layout to which this pod raises Redis's data, at most the latest that it knows; 0: none;
     * Redis keeps the layout that it has, and an empty one gets the latest. Otherwise an empty one
     * gets this layout. See "Upgrading" in docs/operating.md.
     */
    @WithDefault("0")
    int layout();
}
