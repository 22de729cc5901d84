package dev.rush.reconciliation.repair;

import dev.rush.ledger.Actor;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.Deferral;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerState;
import dev.rush.ledger.Reservations;
import dev.rush.order.ReportedStep;
import dev.rush.reconciliation.repair.LostOffers.Lost;
import dev.rush.reconciliation.report.StreamScan;
import dev.rush.redis.Partition;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jboss.logging.Logger;

/**
 * Restores in the ledger what it lost of a partition and Redis has: sales and rains, orders and
 * grabs, the ends of orders in Redis, and the last steps that were reported to clients. Then the
 * partition is no longer behind. If interrupted, it starts again. Reservations are put on hold
 * before orders are restored, because they may have been paid; those without evidence of a payment
 * stay on hold.
 */
@Singleton
class PartitionRefill {

    private static final Logger LOG = Logger.getLogger(PartitionRefill.class);
    private static final Actor ACTOR = Actor.service("refill");
    private static final int HOLD_BATCH = 5_000;

    private final Ledger ledger;
    private final RedisCommands redis;
    private final StreamScan streams;
    private final LostOffers offers;
    private final Requeue requeue;
    private final RefilledSteps steps;
    private final LostEnds lostEnds;

    @Inject
    PartitionRefill(Ledger ledger, RedisCommands redis, StreamScan streams, LostOffers offers,
            Requeue requeue, RefilledSteps steps, LostEnds lostEnds) {
        this.ledger = ledger;
        this.redis = redis;
        this.streams = streams;
        this.offers = offers;
        this.requeue = requeue;
        this.steps = steps;
        this.lostEnds = lostEnds;
    }

    private Evidence evidence(RefillProgress progress) {
        return Evidence.read(redis, progress.partition, progress.epoch).join();
    }

    /** Stores sales and rains that only Redis has. */
    boolean storeOffers(RefillProgress progress) {
        offers.in(List.of(evidence(progress))).stream()
                .filter(Lost::wasReleased).forEach(offers::store);
        return true;
    }

    /** Adds the reported steps of orders that the ledger has, once in an epoch. */
    boolean addSteps(RefillProgress progress) {
        if (!progress.hasReportedSteps) {
            progress.reported += steps.reported(evidence(progress));
            progress.hasReportedSteps = true;
        }
        return true;
    }

    /** Puts reservations on hold, in parts that fit into a transaction's time limit. */
    private void hold(RefillProgress progress) {
        long from = 0;
        while (!progress.isHeld) {
            long first = from;
            Reservations.Part held = ledger.transact((connection, ledgerState) ->
                    isBehind(connection, ledgerState, progress) ? Reservations.hold(
                            connection, progress.index(), first, HOLD_BATCH)
                            : new Reservations.Part(0, first));
            progress.held += held.orders();
            progress.isHeld = held.orders() < HOLD_BATCH;
            from = held.lastPayByMs();
        }
    }

    /** Whether no other pod has refilled the partition. Fails if PostgreSQL has failed over. */
    private static boolean isBehind(Connection connection, LedgerState ledgerState,
            RefillProgress progress) throws SQLException {
        ledgerState.requireChecked(progress.epoch);
        return RefillRows.behind(connection).contains(progress.index());
    }

    /**
     * Puts orders and grabs that only Redis has into the stream again. Returns false if the ledger
     * did not take them in time.
     */
    boolean restoreOrders(RefillProgress progress) {
        Partition partition = progress.partition;
        progress.requeued = null;
        if (progress.waitsForOthers && waits(progress)) {
            progress.stepsAt = null;
            return true;
        }
        progress.waitsForOthers = false;
        hold(progress);
        String stepsAt = progress.stepsAt;
        if (stepsAt != null && read(connection -> RefillRows.hasUntriedPostponed(
                connection, partition.index(), stepsAt))) {
            LOG.debugf("Postponed orders of partition %d have not been retried yet",
                    partition.index());
            return true;
        }
        Evidence evidence = evidence(progress);
        // Of stored orders now, because later steps displace these in Redis.
        long reported = steps.reported(evidence);
        progress.reported += reported;
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
                    evidence, reported, sales, streams.last(partition));
        }
        return isComplete;
    }

    /**
     * Adds steps once the ledger has the requeued orders and grabs. If none is postponed then, new
     * ones no longer wait. Returns false if the ledger did not take the requeued ones in time.
     *
     * @param untilNanos an instant of {@link System#nanoTime()}
     */
    boolean endDeferral(RefillProgress progress, long untilNanos) {
        RefillProgress.Requeued requeued = progress.requeued;
        if (requeued == null) {
            return true;
        }
        boolean defers = read(connection -> Deferral.isOn(connection, progress.index()));
        if (progress.defers && !defers) {
            // It took too long. Orders that were stored since may be postponed.
            progress.stepsAt = null;
        }
        progress.defers = defers;
        if (!defers) {
            return true;
        }
        boolean isStored =
                streams.awaitRequeued(progress.partition, requeued.last(), untilNanos);
        if (isStored && addEnds(progress, requeued)) {
            endDeferring(progress);
        } else {
            progress.requeued = null;
        }
        return isStored;
    }

    private boolean waits(RefillProgress progress) {
        return read(connection -> Deferral.waits(connection, progress.index()));
    }

    /**
     * Adds the steps of orders that were in the stream beside the requeued ones, and ends the
     * refill if none is postponed. Does nothing while they wait for other partitions. Returns false
     * if the ledger did not take them in time.
     *
     * @param untilNanos an instant of {@link System#nanoTime()}
     */
    boolean complete(RefillProgress progress, long untilNanos) {
        RefillProgress.Requeued requeued = progress.requeued;
        if (requeued == null) {
            return true;
        }
        if (waits(progress)) {
            LOG.debugf("Partition %d waits for others that are refilled", progress.index());
            // Until then retries are only postponed.
            progress.stepsAt = null;
            progress.waitsForOthers = true;
            return true;
        }
        if (!streams.awaitPast(progress.partition, requeued.last(), untilNanos)) {
            progress.stepsAt = null;
            return false;
        }
        if (addEnds(progress, requeued)) {
            // Nothing waits for these, so they come last.
            requeued.sales().forEach((sale, month) -> progress.orders +=
                    lostEnds.store(sale, month, progress.epoch, requeued.evidence()));
            finish(progress, requeued.evidence());
        }
        return true;
    }

    /** Returns false if postponed orders may fit now, or have steps that were reported. */
    private boolean addEnds(RefillProgress progress, RefillProgress.Requeued requeued) {
        boolean hasPostponed =
                read(connection -> RefillRows.hasPostponed(connection, progress.index()));
        // First, because an order that was paid and then returned has two reported steps.
        long reported = steps.reported(requeued.evidence());
        long ended = 0;
        for (Map.Entry<String, Integer> sale : requeued.sales().entrySet()) {
            ended += steps.ended(sale.getKey(), sale.getValue(), progress.partition);
        }
        progress.reported += reported;
        progress.ended += ended;
        if (hasPostponed && (progress.stepsAt == null
                || requeued.reported() + reported + ended > 0)) {
            progress.stepsAt = read(RefillRows::now);
            return false;
        }
        return true;
    }

    private void endDeferring(RefillProgress progress) {
        ledger.transactOrNull((connection, ledgerState) -> {
            ledgerState.requireChecked(progress.epoch);
            Deferral.end(connection, progress.index());
            return null;
        });
        progress.stepsAt = null;
        progress.defers = false;
    }

    private void finish(RefillProgress progress, Evidence evidence) {
        Map<String, Object> found = progress.summary(unknown(evidence));
        boolean isFirst = ledger.transact((connection, ledgerState) -> {
            if (!isBehind(connection, ledgerState, progress)) {
                return false;
            }
            RefillRows.endBehind(connection, progress.index(), evidence.seq(),
                    System.currentTimeMillis());
            AuditRows.insert(connection, ledgerState, UUID.randomUUID(), ACTOR, "ledger.refilled",
                    "ledger", null, found, null);
            return true;
        });
        if (isFirst) {
            LOG.warnf("The ledger was refilled from Redis: %s", found);
        }
        progress.refilled = evidence;
    }

    /**
     * Removes steps whose order is in no store from Redis, so that the next check of the ledger
     * does not miss them. Returns false while another partition is behind: a sale is stored again
     * only once its first partition has been read.
     */
    boolean forgetLost(RefillProgress progress) {
        Evidence evidence = Objects.requireNonNull(progress.refilled);
        List<ReportedStep> lost = ledger.transactOrNull((connection, ledgerState) -> {
            ledgerState.requireChecked(progress.epoch);
            return Deferral.isAnyBehind(connection) ? null
                    : RefillRows.lost(connection, evidence);
        });
        if (lost != null) {
            steps.forget(progress.partition, lost);
        }
        return lost != null;
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

    /** Reads from the ledger in a transaction of its own. */
    private interface Read<T> {

        T from(Connection connection) throws SQLException;
    }

    private <T> T read(Read<T> read) {
        return ledger.transact((connection, ledgerState) -> read.from(connection));
    }
}
