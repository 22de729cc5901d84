package dev.rush.redis;

import dev.rush.RushConfig;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Startup;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

/**
 * Joins requests that wait for the same keys into one script call, so that a crowd pays for one
 * round trip together and a lone request waits for nothing.
 */
@Startup
@Singleton
public class Batcher {

    private final Router router;
    private final Sequences sequences;
    private final LongAdder queued = new LongAdder();
    private final DistributionSummary batchSize;
    private final long deadlineNanos;
    private final int sizeMax;
    private final int inFlightMax;
    private final int queueMax;

    @Inject
    Batcher(Router router, Sequences sequences, RushConfig config, MeterRegistry registry) {
        this.router = router;
        this.sequences = sequences;
        this.deadlineNanos = config.deadline().toNanos();
        this.sizeMax = config.batch().size();
        this.inFlightMax = config.batch().inFlight();
        this.queueMax = config.batch().queue();
        this.batchSize = DistributionSummary.builder("rush.redis.batch.size")
                .description("Requests in one script call").register(registry);
        Gauge.builder("rush.redis.queue", queued, LongAdder::sum)
                .description("Requests that wait for a script call").register(registry);
    }

    /** When a request that begins now has to be answered, by {@link System#nanoTime()}. */
    public long deadlineNanos() {
        return System.nanoTime() + deadlineNanos;
    }

    /** Sends a request with the next call to its target, to be answered by the deadline. */
    public CompletableFuture<String> submit(BatchTarget target, String... args) {
        return submit(target, deadlineNanos(), args);
    }

    /**
     * Sends a request with the next call to its target.
     *
     * @param deadline as {@link #deadlineNanos()} said when the request began
     * @param args the request's ARGV; deadlines in Redis's milliseconds come before all of them
     * @return the script's answer, at the deadline at the latest; fails with a
     *         {@link RedisFailure} only. It completes on the caller's event loop, if it has one.
     */
    public CompletableFuture<String> submit(BatchTarget target, long deadline, String... args) {
        for (String arg : args) {
            // Here it fails alone; later it would fail those with whom it shares a call.
            Objects.requireNonNull(arg);
        }
        CompletableFuture<String> answer = new CompletableFuture<>();
        Lane.Pending pending = new Lane.Pending(args, deadline, answer);
        Loop loop = router.loop();
        loop.run(() -> {
            try {
                loop.lane(target, this).submit(pending);
            } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    Sequences sequences() {
        return sequences;
    }

    int sizeMax() {
        return sizeMax;
    }

    int inFlightMax() {
        return inFlightMax;
    }

    int queueMax() {
        return queueMax;
    }

    void queued(int change) {
        queued.add(change);
    }

    void batched(int size) {
        batchSize.record(size);
    }
}
