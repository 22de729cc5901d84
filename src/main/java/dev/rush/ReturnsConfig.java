package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Units given back. */
public interface ReturnsConfig {

    /** Age at which a parked return raises an alarm. */
    @WithDefault("PT1H")
    Duration alarmAfter();

    /** Time between two tries of a parked return. */
    @WithDefault("PT2S")
    Duration retry();
}
