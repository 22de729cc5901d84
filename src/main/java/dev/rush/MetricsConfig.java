package dev.rush;

import io.smallrye.config.WithDefault;

/** What this pod reports of single sales. */
public interface MetricsConfig {

    /**
     * Sales with metrics of their own per pod, 0 to 1000: those that are not closed and that
     * callers of this pod asked for, the open ones first. Each has four series.
     */
    @WithDefault("50")
    int sales();
}
