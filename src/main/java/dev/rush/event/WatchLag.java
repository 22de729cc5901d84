package dev.rush.event;

import dev.rush.ledger.Position;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Gauges of the leader: how late the watch is, and how long a transaction holds events back. */
final class WatchLag {

    private static final double NANOS = 1e9;

    private final MultiGauge lag;
    private final MultiGauge held;
    private final Map<Part, Long> startedNanos = new EnumMap<>(Part.class);
    /** When the last complete pass started. */
    private final Map<Part, Long> completedNanos = new EnumMap<>(Part.class);
    private boolean leads;
    private @Nullable Position end;
    private long heldNanos;

    /** The parts of a pass; each takes one round or several. */
    enum Part {
        DUE,
        SALES,
        RAINS
    }

    WatchLag(MeterRegistry registry) {
        this.lag = MultiGauge.builder("rush.watch.lag").baseUnit("seconds")
                .description("Time since all sales and rains were last checked")
                .register(registry);
        this.held = MultiGauge.builder("rush.events.held").baseUnit("seconds")
                .description("How long one transaction has held back all later events")
                .register(registry);
    }

    /** Registers the gauges when this pod starts to lead, and removes them when it stops. */
    synchronized void lead(boolean leadsNow) {
        if (leadsNow == leads) {
            return;
        }
        leads = leadsNow;
        end = null;
        for (Part part : Part.values()) {
            completedNanos.put(part, System.nanoTime());
        }
        lag.register(row(leads, this::lagSeconds), true);
        held.register(row(leads, this::heldSeconds), true);
    }

    private static List<MultiGauge.Row<?>> row(boolean isShown,
            Supplier<Number> value) {
        return isShown ? List.of(MultiGauge.Row.of(Tags.empty(), value)) : List.of();
    }

    synchronized void begin(Part part) {
        startedNanos.put(part, System.nanoTime());
    }

    synchronized void end(Part part) {
        completedNanos.put(part, startedNanos.get(part));
    }

    /**
     * Records how far the journal can be read.
     *
     * @param current    position after everything that can be read now
     * @param isComplete whether nothing is committed after it
     */
    synchronized void readable(Position current, boolean isComplete) {
        if (isComplete) {
            end = null;
        } else if (!current.equals(end)) {
            end = current;
            heldNanos = System.nanoTime();
        }
    }

    private synchronized double lagSeconds() {
        long oldest = Long.MAX_VALUE;
        long now = System.nanoTime();
        for (long startNanos : completedNanos.values()) {
            oldest = Math.min(oldest, startNanos - now);
        }
        return -oldest / NANOS;
    }

    private synchronized double heldSeconds() {
        return end == null ? 0 : (System.nanoTime() - heldNanos) / NANOS;
    }
}
