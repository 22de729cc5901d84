package dev.rush.offer;

import dev.rush.http.OutcomeCode;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Arrays;

/** A counter per code, with the code as the label {@code outcome}. */
public final class OutcomeCounters {

    /** By the ordinals of the codes. */
    private final Counter[] counters;

    /** Registers the counters {@code name{outcome="<code>"}}. */
    public OutcomeCounters(MeterRegistry registry, String name, String description) {
        this.counters = Arrays.stream(OutcomeCode.values())
                .map(code -> Counter.builder(name).tag("outcome", code.text())
                        .description(description).register(registry))
                .toArray(Counter[]::new);
    }

    /** Counts one outcome. */
    public void count(OutcomeCode code) {
        counters[code.ordinal()].increment();
    }
}
