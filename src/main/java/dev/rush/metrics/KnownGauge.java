package dev.rush.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A gauge that is absent while its value is unknown. A 0 that means "not measured" would hide an
 * outage; an absent series does not.
 */
public final class KnownGauge {

    private final MultiGauge gauge;
    private volatile double value;
    private boolean known;

    /**
     * Creates a gauge that is absent at first.
     *
     * @param unit its base unit, or null for counts
     */
    public KnownGauge(MeterRegistry registry, String name, @Nullable String unit,
            String description) {
        gauge = MultiGauge.builder(name).baseUnit(unit).description(description)
                .register(registry);
    }

    /** Reports a value from now on. */
    public synchronized void set(double newest) {
        value = newest;
        if (!known) {
            known = true;
            gauge.register(List.of(MultiGauge.Row.of(Tags.empty(), () -> value)), true);
        }
    }

    /** Reports nothing until the next value. */
    public synchronized void forget() {
        if (known) {
            known = false;
            gauge.register(List.of(), true);
        }
    }
}
