package dev.rush;

import io.smallrye.config.WithDefault;

/** Metrics of single sales. */
public interface MetricsConfig {

    /**
     * Sales with their own metrics per pod, 0 to 1000: those that are not closed and that callers
     * of this pod requested, open ones first. Each has four series.
     */
    @WithDefault("50")
    int sales();
}
