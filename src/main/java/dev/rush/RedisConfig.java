package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** How long to wait for Redis. A Redis that hangs is treated like one that is down. */
public interface RedisConfig {

    /**
     * Time limit for opening a connection, 0.1 s to 1 s: connect, TLS, HELLO, loading the scripts
     * and reading the clock together. After that, calls that wait for the connection may go to
     * another node.
     */
    @WithDefault("PT0.8S")
    Duration connect();

    /**
     * How long calls on a connection may go without any reply before it is closed, 0.1 s to 10 s;
     * never longer than {@code rush.deadline}. The outcome of those calls is unknown.
     */
    @WithDefault("PT2S")
    Duration silence();

    /** Interval at which masters and the cluster topology are polled, 0.1 s to 2 s. */
    @WithDefault("PT1S")
    Duration watch();

    /**
     * Concurrent single calls (all but purchases and grabs) per event loop, 100 or more; beyond
     * that, a call is {@code unavailable}.
     */
    @WithDefault("20000")
    int calls();

    /**
     * The layout to which this pod raises Redis's data, at most the latest that it supports. 0:
     * Redis keeps its layout, and an empty one gets the latest. Otherwise an empty one gets this
     * layout. See "Upgrading" in docs/operating.md.
     */
    @WithDefault("0")
    int layout();
}
