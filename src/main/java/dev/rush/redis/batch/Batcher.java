package dev.rush.redis.batch;

import dev.rush.RushConfig;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.cluster.EventLoopClient;
import dev.rush.redis.cluster.Router;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Startup;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Batches requests for the same keys into one script call, so that a crowd shares a round trip and
 * a lone request does not wait.
 */
@Startup
@Singleton
public class Batcher {

    private final Router router;
    private final BatchQueueLimits limits;
    private final long deadlineNanos;
    private final ConcurrentHashMap<EventLoopClient, BatchQueues> queues =
            new ConcurrentHashMap<>();

    /** Creates a batcher without queues. */
    @Inject
    public Batcher(Router router, Sequences sequences, RushConfig config, MeterRegistry registry) {
        this.router = router;
        this.limits = new BatchQueueLimits(sequences, config, registry);
        this.deadlineNanos = config.deadline().toNanos();
    }

    /** The deadline of a request that begins now, by {@link System#nanoTime()}. */
    public long deadlineNanos() {
        return System.nanoTime() + deadlineNanos;
    }

    /** Sends a request with the next call to its target, to be answered by its deadline. */
    public CompletableFuture<String> submit(BatchTarget target, String... args) {
        return submit(target, deadlineNanos(), args);
    }

    /**
     * Sends a request with the next call to its target.
     *
     * @param deadline from {@link #deadlineNanos()} when the request began
     * @param args the request's ARGV, always the same number for one target; deadlines in Redis's
     *         milliseconds precede all of them
     * @return the script's answer, no later than the deadline; fails only with a {@link
     *         RedisFailure}. It completes on the caller's event loop, if it has one.
     */
    public CompletableFuture<String> submit(BatchTarget target, long deadline, String... args) {
        for (String arg : args) {
            // A null fails alone here; later it would fail the other requests of its call too.
            Objects.requireNonNull(arg);
        }
        CompletableFuture<String> answer = new CompletableFuture<>();
        BatchQueue.Pending pending = new BatchQueue.Pending(args, deadline, answer);
        EventLoopClient loop = router.loop();
        loop.run(() -> {
            try {
                queues(loop).of(target).submit(pending);
            } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    /** The queues of an event loop; call it only on that event loop. */
    BatchQueues queues(EventLoopClient loop) {
        BatchQueues known = queues.get(loop);
        return known != null ? known
                : queues.computeIfAbsent(loop, first -> new BatchQueues(first, limits));
    }
}
