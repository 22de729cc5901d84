package dev.rush;

import io.smallrye.config.WithDefault;

/** Operators' lists of orders. */
public interface ListsConfig {

    /** CSV lists that a pod streams concurrently, 1 to 100; beyond that, {@code unavailable}. */
    @WithDefault("4")
    int exports();
}
