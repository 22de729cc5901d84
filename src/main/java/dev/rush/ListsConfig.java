package dev.rush;

import io.smallrye.config.WithDefault;

/** Operators' lists of orders. */
public interface ListsConfig {

    /** Lists that a pod writes as CSV at the same time, 1 to 100; beyond it {@code unavailable}. */
    @WithDefault("4")
    int exports();
}
