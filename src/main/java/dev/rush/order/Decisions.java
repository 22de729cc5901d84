package dev.rush.order;

import dev.rush.RushConfig;
import dev.rush.ledger.writer.Writer;
import dev.rush.redis.Partition;
import dev.rush.redis.cluster.Router;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Vertx;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Waits for the ledger's decisions about orders and grabs under {@code durability: ledger}. Writers
 * publish them in a stream of each partition; a writer in the same pod notifies this class
 * directly.
 */
@Singleton
public class Decisions {

    private static final long SWEEP_MS = 20;

    private final Router router;
    private final Vertx vertx;
    private final long deadlineNanos;
    private final int waitingMax;
    private final AtomicInteger waiting = new AtomicInteger();
    private final Map<Integer, DecisionReader> readers = new ConcurrentHashMap<>();
    /** Id of the timer of sweeps; negative until the first caller waits. */
    private long sweeping = -1;

    @Inject
    Decisions(Router router, Vertx vertx, RushConfig config, MeterRegistry registry) {
        this.router = router;
        this.vertx = vertx;
        this.deadlineNanos = config.deadline().toNanos();
        this.waitingMax = config.ledger().waiting();
        Gauge.builder("rush.ledger.waiting", waiting, AtomicInteger::get)
                .description("Purchases and grabs that wait until the ledger has decided")
                .register(registry);
    }

    void start(@Observes StartupEvent event, Writer writer) {
        writer.onDecided(this::decided);
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
                index -> new DecisionReader(router, partition, deadlineNanos, waiting));
    }

    /**
     * Waits until an order or grab is decided, up to {@code rush.deadline}. Call it before the
     * script that accepts the order, and complete the future if the script did not accept it.
     *
     * @return completes on the caller's event loop, if it has one; never fails
     */
    public CompletableFuture<Decision> await(Partition partition, String id) {
        return reader(partition).await(id);
    }

    /**
     * The decision about an order or grab that an earlier call created. While it may be queued in
     * the stream, this waits for the decision; after that only the ledger has it for certain.
     *
     * @param waits    checks in Redis whether it may be queued in the stream
     * @param rejected checks whether the ledger rejected it; null if the ledger does not have it
     *                 because it will be retried or is lost
     * @return {@link Decision#UNKNOWN} if either does not answer; never fails
     */
    public CompletableFuture<Decision> earlier(Partition partition, String id,
            Supplier<CompletableFuture<Boolean>> waits,
            Supplier<CompletableFuture<Boolean>> rejected) {
        // From here on no decision is missed; an order that was decided before has left the stream.
        CompletableFuture<Decision> awaited = await(partition, id);
        return waits.get().thenCompose(waiting -> waiting ? awaited
                : rejected.get().thenApply(Decision::of))
                .exceptionally(failure -> Decision.UNKNOWN)
                .whenComplete((decision, failure) -> awaited.complete(decision));
    }

    /**
     * Receives what a writer of this pod has decided.
     *
     * @param ids in the format of {@code acknowledge.lua}
     */
    void decided(Partition partition, String ids) {
        DecisionReader known = readers.get(partition.index());
        if (known != null && !ids.isEmpty()) {
            known.decided(ids);
        }
    }

    /**
     * Whether to refuse further calls, which would take units and then time out: nothing is decided
     * at present, or {@code rush.ledger.waiting} calls wait.
     */
    public boolean isStuck(Partition partition) {
        DecisionReader known = readers.get(partition.index());
        return waiting.get() >= waitingMax || known != null && known.isStuck();
    }
}
