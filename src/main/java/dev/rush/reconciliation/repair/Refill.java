package dev.rush.reconciliation.repair;

import dev.rush.RushConfig;
import dev.rush.ledger.Actor;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.KeptLease;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.LedgerState;
import dev.rush.ledger.PeriodicTask;
import dev.rush.ledger.Reservations;
import dev.rush.ledger.Reservations.HeldPart;
import dev.rush.reconciliation.repair.LostOffers.Lost;
import dev.rush.reconciliation.report.Failures;
import dev.rush.reconciliation.report.StreamScan;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisCommands;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/**
 * Restores in the ledger what it lost of a partition and Redis has, once {@link BehindCheck} has
 * detected the loss: sales and rains, orders and grabs, the ends of orders in Redis, and the last
 * steps that were reported to clients. Then the partition is no longer behind. If interrupted, it
 * starts again, on one pod at a time. Reservations are put on hold before orders are restored,
 * because they may have been paid; those without evidence of a payment stay on hold.
 */
@Singleton
class Refill {

    private static final Logger LOG = Logger.getLogger(Refill.class);
    private static final Actor ACTOR = Actor.service("refill");
    private static final String LEASE = "refill";
    private static final long LEASE_MS = 60_000;
    private static final long PAUSE_MS = 500;
    private static final int HOLD_BATCH = 5_000;

    private final Ledger ledger;
    private final RedisCommands redis;
    private final Partitions partitions;
    private final StreamScan streams;
    private final LostOffers offers;
    private final Requeue requeue;
    private final RefilledSteps steps;
    private final LeaderLease lease;
    private final long drainMs;
    private final long retryMs;
    private final boolean active;
    private int epoch;
    private final Map<Integer, RefillProgress> inProgress = new HashMap<>();
    private final Failures failures = new Failures(LOG::warn,
            "%d more partitions of the ledger cannot be refilled now, for example %s");
    private final PeriodicTask task = new PeriodicTask(LEASE, PAUSE_MS, this::round);

    @Inject
    Refill(Ledger ledger, RedisCommands redis, Partitions partitions, StreamScan streams,
            LostOffers offers, Requeue requeue, RefilledSteps steps, LeaderLease lease,
            RushConfig config) {
        this.ledger = ledger;
        this.redis = redis;
        this.partitions = partitions;
        this.streams = streams;
        this.offers = offers;
        this.requeue = requeue;
        this.steps = steps;
        this.lease = lease;
        this.drainMs = config.books().drain().toMillis();
        this.retryMs = Math.max(1, config.writer().retry().toMillis());
        this.active = config.orders().sink().stores() && config.role().writes();
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            task.start();
        }
    }

    void stop(@Observes ShutdownEvent event) {
        task.close();
    }

    /** Restores partitions that are behind, as far as both stores are available. */
    boolean round() {
        if (behind().isEmpty()) {
            return false;
        }
        try (KeptLease held = KeptLease.take(lease, LEASE, LEASE_MS)) {
            if (held != null) {
                refill(held);
            }
        }
        return false;
    }

    private void refill(KeptLease held) {
        try {
            // Of all partitions first, because a sale may have orders in others than its own.
            each(held, this::storeOffers);
            // Before the orders, because Redis may lose this evidence meanwhile.
            each(held, this::addSteps);
            each(held, this::restoreOrders);
            // Only then, because the streams of all partitions drain at the same time.
            long untilNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(drainMs);
            each(held, partition -> complete(partition, untilNanos));
        } finally {
            failures.endRound();
        }
    }

    /** Does a part of the work for each partition, as long as this pod has the lease. */
    private void each(KeptLease held, Consumer<Partition> work) {
        for (int partition : behind()) {
            if (!held.renew()) {
                return;
            }
            try {
                work.accept(partitions.all().get(partition));
            } catch (CompletionException | LedgerFailure e) {
                failures.note("partition " + partition, e);
            }
        }
    }

    private List<Integer> behind() {
        List<Integer> behind = new ArrayList<>(ledger.transact((connection, ledgerState) -> {
            if (ledgerState.epoch() != epoch) {
                // Another PostgreSQL process may have lost what this one has stored.
                epoch = ledgerState.epoch();
                inProgress.clear();
            }
            return ledgerState.checked() ? RefillRows.behind(connection) : List.of();
        }));
        behind.removeAll(lease.refused());
        return behind;
    }

    private void storeOffers(Partition partition) {
        offers.in(List.of(Evidence.read(redis, partition, epoch).join())).stream()
                .filter(Lost::wasReleased).forEach(offers::store);
    }

    /** Puts reservations on hold, in parts that fit into a transaction's time limit. */
    private void hold(Partition partition, RefillProgress progress) {
        long from = 0;
        while (!progress.isHeld) {
            long first = from;
            HeldPart held = ledger.transact((connection, ledgerState) ->
                    Reservations.hold(connection, partition.index(), first, HOLD_BATCH));
            progress.held += held.orders();
            progress.isHeld = held.orders() < HOLD_BATCH;
            from = held.last();
        }
    }

    /** Adds the reported steps of orders that the ledger has, once in an epoch. */
    private void addSteps(Partition partition) {
        RefillProgress progress = progress(partition);
        if (!progress.hasReportedSteps) {
            progress.reported += steps.reported(Evidence.read(redis, partition, epoch).join());
            progress.hasReportedSteps = true;
        }
    }

    private RefillProgress progress(Partition partition) {
        return inProgress.computeIfAbsent(partition.index(), none -> new RefillProgress());
    }

    /** Puts orders and grabs that only Redis has into the stream again. */
    private void restoreOrders(Partition partition) {
        RefillProgress progress = progress(partition);
        progress.requeued = null;
        hold(partition, progress);
        String stepsAt = progress.stepsAt;
        if (stepsAt != null && read(connection -> RefillRows.hasUntriedPostponed(
                connection, partition.index(), stepsAt, retryMs))) {
            LOG.debugf("Postponed orders of partition %d have not been retried yet",
                    partition.index());
            return;
        }
        Evidence evidence = Evidence.read(redis, partition, epoch).join();
        // Of stored orders now, because later steps displace these in Redis.
        progress.reported += steps.reported(evidence);
        Map<String, Integer> sales =
                read(connection -> RefillRows.sales(connection, partition.index()));
        boolean isComplete = true;
        for (Map.Entry<String, Integer> rain : read(connection ->
                RefillRows.rains(connection, partition.index())).entrySet()) {
            Requeue.Requeued grabs =
                    requeue.requeueGrabs(rain.getKey(), rain.getValue(), partition);
            progress.grabs += grabs.count();
            isComplete &= grabs.isComplete();
        }
        for (Map.Entry<String, Integer> sale : sales.entrySet()) {
            Requeue.Requeued orders = requeue.requeue(sale.getKey(), sale.getValue(), partition);
            progress.orders += orders.count();
            isComplete &= orders.isComplete();
        }
        if (isComplete) {
            progress.requeued = new RefillProgress.Requeued(
                    evidence, sales, streams.last(partition));
        } else {
            noteWaiting(partition);
        }
    }

    private void noteWaiting(Partition partition) {
        failures.note("partition " + partition.index(),
                new IllegalStateException("its orders and grabs still wait for the ledger"));
    }

    /** Adds steps, and ends the refill, once the ledger has the orders and grabs. */
    private void complete(Partition partition, long untilNanos) {
        RefillProgress progress = progress(partition);
        if (progress.requeued == null) {
            return;
        }
        Evidence evidence = progress.requeued.evidence();
        Map<String, Integer> sales = progress.requeued.sales();
        if (!streams.awaitPast(partition, progress.requeued.last(), untilNanos)) {
            noteWaiting(partition);
            return;
        }
        boolean hasPostponed =
                read(connection -> RefillRows.hasPostponed(connection, partition.index()));
        // First, because an order that was paid and then returned has two reported steps.
        long reported = steps.reported(evidence);
        long ended = 0;
        for (Map.Entry<String, Integer> sale : sales.entrySet()) {
            ended += steps.ended(sale.getKey(), sale.getValue(), partition);
        }
        progress.reported += reported;
        progress.ended += ended;
        if (hasPostponed && (progress.stepsAt == null || reported + ended > 0)) {
            // They may fit now, and have steps that were reported to clients.
            progress.stepsAt = read(RefillRows::now);
            return;
        }
        finish(partition, evidence, progress);
    }

    private void finish(Partition partition, Evidence evidence, RefillProgress progress) {
        List<String> unknown = unknown(evidence);
        Map<String, Object> found = progress.summary(partition, unknown);
        ledger.transactOrNull((connection, ledgerState) -> {
            record(connection, ledgerState, evidence, found);
            return null;
        });
        steps.forget(evidence);
        inProgress.remove(partition.index());
        LOG.warnf("The ledger was refilled from Redis: %s", found);
    }

    /** Reads from the ledger in a transaction of its own. */
    private interface Read<T> {

        T from(Connection connection) throws SQLException;
    }

    private <T> T read(Read<T> read) {
        return ledger.transact((connection, ledgerState) -> read.from(connection));
    }

    /** Sales and rains that only Redis has, and that must be prepared again. */
    private List<String> unknown(Evidence evidence) {
        List<String> unknown = offers.in(List.of(evidence)).stream().map(Lost::id).toList();
        if (!unknown.isEmpty()) {
            LOG.errorf("The ledger has lost sales or rains that Redis has: prepare them again as "
                    + "they were, then replay their dead letters: %s", unknown);
        }
        return unknown;
    }

    private static void record(Connection connection, LedgerState ledgerState, Evidence evidence,
            Map<String, Object> found) throws SQLException {
        if (RefillRows.endBehind(connection, evidence.partition().index(), evidence.seq())) {
            AuditRows.insert(connection, ledgerState, UUID.randomUUID(), ACTOR, "ledger.refilled",
                    "ledger", null, found, null);
        }
    }
}
