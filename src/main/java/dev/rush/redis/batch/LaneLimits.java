package dev.rush.redis.batch;

import dev.rush.RushConfig;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.LongAdder;

/** What all lanes of a pod share: limits, meters, sequences. Thread-safe. */
final class LaneLimits {

    private final Sequences sequences;
    private final CheckIns checkIns;
    private final LongAdder queued = new LongAdder();
    private final DistributionSummary batchSize;
    private final int sizeMax;
    private final int inFlightMax;
    private final int queueMax;

    LaneLimits(Sequences sequences, RushConfig config, MeterRegistry registry) {
        this.sequences = sequences;
        this.checkIns = new CheckIns(sequences);
        this.sizeMax = config.batch().size();
        this.inFlightMax = config.batch().inFlight();
        this.queueMax = config.batch().queue();
        this.batchSize = DistributionSummary.builder("rush.redis.batch.size")
                .description("Requests in one script call").register(registry);
        Gauge.builder("rush.redis.queue", queued, LongAdder::sum)
                .description("Requests that wait for a script call").register(registry);
    }

    Sequences sequences() {
        return sequences;
    }

    CheckIns checkIns() {
        return checkIns;
    }

    /** The most requests of one script call. */
    int sizeMax() {
        return sizeMax;
    }

    /** The most script calls of one lane under way. */
    int inFlightMax() {
        return inFlightMax;
    }

    /** The most requests that wait in one lane. */
    int queueMax() {
        return queueMax;
    }

    /** Counts requests that begin or cease to wait. */
    void queued(int change) {
        queued.add(change);
    }

    /** Counts one script call. */
    void batched(int size) {
        batchSize.record(size);
    }
}
