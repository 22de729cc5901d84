package dev.rush;

import io.smallrye.config.WithDefault;

/** Server-sent events. */
public interface EventsConfig {

    /**
     * Open streams per pod, 1 to 1000000; beyond it a stream is {@code unavailable}. Each takes a
     * connection and about 20 KB.
     */
    @WithDefault("10000")
    int streams();
}
