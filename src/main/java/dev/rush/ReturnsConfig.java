package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Returns. */
public interface ReturnsConfig {

    /** Age at which a parked return raises an alarm, 1 s to 30 days. */
    @WithDefault("PT1H")
    Duration alarmAfter();

    /** Interval at which a parked return is retried, 0.1 s to 5 min; each retry costs a query. */
    @WithDefault("PT2S")
    Duration retry();
}
