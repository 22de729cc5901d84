package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Units given back. */
public interface ReturnsConfig {

    /** Age at which a parked return raises an alarm, 1 s to 30 days. */
    @WithDefault("PT1H")
    Duration alarmAfter();

    /** Time between two tries of a parked return, 0.1 s to 5 min; each costs a query. */
    @WithDefault("PT2S")
    Duration retry();
}
