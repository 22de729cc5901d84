package dev.rush.redis.batch;

import dev.rush.RushConfig;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.LongAdder;

/** Limits, meters and sequences shared by all queues of a pod. Thread-safe. */
final class BatchQueueLimits {

    private final Sequences sequences;
    private final CheckIns checkIns;
    private final LongAdder queued = new LongAdder();
    private final DistributionSummary batchSize;
    private final int sizeMax;
    private final int inFlightMax;
    private final int queueMax;

    BatchQueueLimits(Sequences sequences, RushConfig config, MeterRegistry registry) {
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

    /** Maximum requests per script call. */
    int sizeMax() {
        return sizeMax;
    }

    /** Maximum script calls in flight per queue. */
    int inFlightMax() {
        return inFlightMax;
    }

    /** Maximum waiting requests per queue. */
    int queueMax() {
        return queueMax;
    }

    /** Counts requests that start or stop waiting. */
    void queued(int change) {
        queued.add(change);
    }

    /** Counts one script call. */
    void batched(int size) {
        batchSize.record(size);
    }
}
