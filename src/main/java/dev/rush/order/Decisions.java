package dev.rush.order;

import dev.rush.RushConfig;
import dev.rush.redis.Partition;
import dev.rush.redis.cluster.Router;
import io.vertx.core.Vertx;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the ledger decides about orders and grabs whose buyers are answered only then. Writers tell
 * it in a stream of each partition; a writer of the same pod tells it at once.
 */
@Singleton
public class Decisions {

    private static final long SWEEP_MS = 20;

    private final Router router;
    private final Vertx vertx;
    private final long deadlineNanos;
    private final Map<Integer, DecisionReader> readers = new ConcurrentHashMap<>();
    /** Negative until somebody waits. */
    private long sweeping = -1;

    @Inject
    Decisions(Router router, Vertx vertx, RushConfig config) {
        this.router = router;
        this.vertx = vertx;
        this.deadlineNanos = config.deadline().toNanos();
    }

    @PreDestroy
    synchronized void stop() {
        vertx.cancelTimer(sweeping);
        readers.values().forEach(DecisionReader::stop);
    }

    private DecisionReader reader(Partition partition) {
        DecisionReader known = readers.get(partition.index());
        return known != null ? known : begin(partition);
    }

    private synchronized DecisionReader begin(Partition partition) {
        if (sweeping < 0) {
            sweeping = vertx.setPeriodic(SWEEP_MS, tick ->
                    readers.values().forEach(DecisionReader::sweep));
        }
        return readers.computeIfAbsent(partition.index(),
                index -> new DecisionReader(router, partition, deadlineNanos));
    }

    /**
     * Waits until an order or grab is decided, or {@code rush.deadline} is over. Call it before the
     * script that accepts it, and {@link #forget} if it did not.
     *
     * @return completes on the caller's event loop, if it has one; never fails
     */
    public CompletableFuture<Decision> await(Partition partition, String id) {
        return reader(partition).await(id);
    }

    /** Nobody waits for this one any more. */
    public void forget(Partition partition, String id) {
        DecisionReader known = readers.get(partition.index());
        if (known != null) {
            known.forget(id);
        }
    }

    /**
     * Takes note of what a writer of this pod has decided.
     *
     * @param ids as {@code settle.lua} takes them
     */
    public void decided(Partition partition, String ids) {
        DecisionReader known = readers.get(partition.index());
        if (known != null && !ids.isEmpty()) {
            known.decided(ids);
        }
    }

    /** Whether nothing is decided now, so that nobody else should take units only to wait. */
    public boolean isStuck(Partition partition) {
        DecisionReader known = readers.get(partition.index());
        return known != null && known.isStuck();
    }
}
