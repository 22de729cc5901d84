package dev.rush.metrics;

import dev.rush.RushConfig;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.Locale;

/** Reports the role of this pod, so that alerts can detect that a role has no pod. */
@Singleton
class PodInfo {

    void start(@Observes StartupEvent event, RushConfig config, MeterRegistry registry) {
        Gauge.builder("rush.pod", () -> 1)
                .tag("role", config.role().name().toLowerCase(Locale.ROOT))
                .tag("sink", config.orders().sink().name().toLowerCase(Locale.ROOT))
                .description("1 while a pod of this role runs").register(registry);
    }
}
