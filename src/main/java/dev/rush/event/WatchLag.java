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

/** How late the watch is, and since when a transaction holds events back; told by the leader. */
final class WatchLag {

    private static final double NANOS = 1e9;

    private final MultiGauge lag;
    private final MultiGauge held;
    private final Map<Part, Long> begun = new EnumMap<>(Part.class);
    /** When the last pass began that came to its end. */
    private final Map<Part, Long> passed = new EnumMap<>(Part.class);
    private boolean leads;
    private @Nullable Position end;
    private long heldNanos;

    /** What the watch has to pass through, in a round or in several. */
    enum Part {
        DUE,
        SALES,
        RAINS
    }

    WatchLag(MeterRegistry registry) {
        this.lag = MultiGauge.builder("rush.watch.lag").baseUnit("seconds")
                .description("Time since sales and rains were last checked, all of them")
                .register(registry);
        this.held = MultiGauge.builder("rush.events.held").baseUnit("seconds")
                .description("How long one transaction has held back all later events")
                .register(registry);
    }

    /** Takes note of whether this pod leads. Whoever begins to is not late yet. */
    synchronized void lead(boolean now) {
        if (now == leads) {
            return;
        }
        leads = now;
        end = null;
        for (Part part : Part.values()) {
            passed.put(part, System.nanoTime());
        }
        lag.register(row(leads, this::lagSeconds), true);
        held.register(row(leads, this::heldSeconds), true);
    }

    private static List<MultiGauge.Row<?>> row(boolean isThere,
            Supplier<Number> value) {
        return isThere ? List.of(MultiGauge.Row.of(Tags.empty(), value)) : List.of();
    }

    synchronized void begin(Part part) {
        begun.put(part, System.nanoTime());
    }

    synchronized void end(Part part) {
        passed.put(part, begun.get(part));
    }

    /**
     * Takes note of how far the journal can be read.
     *
     * @param present behind what can be read now
     * @param isWhole whether that is all there is
     */
    synchronized void readable(Position present, boolean isWhole) {
        if (isWhole) {
            end = null;
        } else if (!present.equals(end)) {
            end = present;
            heldNanos = System.nanoTime();
        }
    }

    private synchronized double lagSeconds() {
        long oldest = Long.MAX_VALUE;
        long now = System.nanoTime();
        for (long at : passed.values()) {
            oldest = Math.min(oldest, at - now);
        }
        return -oldest / NANOS;
    }

    private synchronized double heldSeconds() {
        return end == null ? 0 : (System.nanoTime() - heldNanos) / NANOS;
    }
}
