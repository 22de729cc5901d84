package dev.rush.redis.batch;

import dev.rush.RushConfig;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.cluster.Loop;
import dev.rush.redis.cluster.Router;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Startup;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Joins requests that wait for the same keys into one script call, so that a crowd pays for one
 * round trip together and a lone request waits for nothing.
 */
@Startup
@Singleton
public class Batcher {

    private final Router router;
    private final LaneLimits limits;
    private final long deadlineNanos;
    private final ConcurrentHashMap<Loop, Lanes> lanes = new ConcurrentHashMap<>();

    /** A batcher without lanes. */
    @Inject
    public Batcher(Router router, Sequences sequences, RushConfig config, MeterRegistry registry) {
        this.router = router;
        this.limits = new LaneLimits(sequences, config, registry);
        this.deadlineNanos = config.deadline().toNanos();
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
     * @param args the request's ARGV, always the same number for one target; deadlines in Redis's
     *         milliseconds come before all of them
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
                lanes(loop).of(target).submit(pending);
            } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    /** The lanes of an event loop; on that event loop only. */
    Lanes lanes(Loop loop) {
        Lanes known = lanes.get(loop);
        return known != null ? known
                : lanes.computeIfAbsent(loop, first -> new Lanes(first, limits));
    }
}
