package dev.rush.reconciliation.repair;

import dev.rush.RushConfig;
import dev.rush.ledger.Deferral;
import dev.rush.ledger.KeptLease;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.PeriodicTask;
import dev.rush.reconciliation.report.Failures;
import dev.rush.redis.Partitions;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import org.jboss.logging.Logger;

/**
 * Refills the partitions of the ledger that {@link BehindCheck} has found behind Redis, on one pod
 * at a time, in rounds. Each step is taken for all partitions before the next one. A partition that
 * fails waits for the next round, and holds up no other.
 */
@Singleton
class Refill {

    private static final Logger LOG = Logger.getLogger(Refill.class);
    private static final String LEASE = "refill";
    private static final long LEASE_MS = 60_000;
    private static final long PAUSE_MS = 500;

    private final Ledger ledger;
    private final Partitions partitions;
    private final PartitionRefill refill;
    private final LeaderLease lease;
    private final long drainNanos;
    private final boolean active;
    private int epoch;
    private final Map<Integer, RefillProgress> inProgress = new HashMap<>();
    /** Partitions that were refilled, and whose evidence in Redis is kept. */
    private final Map<Integer, RefillProgress> refilled = new HashMap<>();
    /** Partitions that failed in this round. */
    private final Set<Integer> failed = new HashSet<>();
    private final Failures failures = new Failures(LOG::warn,
            "%d more partitions of the ledger cannot be refilled now, for example %s");
    private final PeriodicTask task = new PeriodicTask(LEASE, PAUSE_MS, this::round);
    /** Apart, because a round may wait for long. */
    private final PeriodicTask lateTask =
            new PeriodicTask("late-deferral", PAUSE_MS, this::endLateDeferral);

    @Inject
    Refill(Ledger ledger, Partitions partitions, PartitionRefill refill, LeaderLease lease,
            RushConfig config) {
        this.ledger = ledger;
        this.partitions = partitions;
        this.refill = refill;
        this.lease = lease;
        this.drainNanos = config.books().drain().toNanos();
        this.active = config.orders().sink().stores() && config.role().writes();
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            task.start();
            lateTask.start();
        }
    }

    void stop(@Observes ShutdownEvent event) {
        task.close();
        lateTask.close();
    }

    /** Restores partitions that are behind, as far as both stores are available. */
    boolean round() {
        if (!behind().isEmpty()) {
            try (KeptLease held = KeptLease.take(lease, LEASE, LEASE_MS)) {
                if (held != null) {
                    round(held);
                }
            }
        }
        refilled.values().removeIf(this::forgetLost);
        return false;
    }

    /** Ends deferrals that take too long, even of partitions that no running pod may refill. */
    boolean endLateDeferral() {
        List<Integer> late = ledger.transact((connection, ledgerState) ->
                ledgerState.checked() ? Deferral.endLate(connection) : List.of());
        if (!late.isEmpty()) {
            LOG.errorf("The refill of partitions %s takes too long: new orders are stored before "
                    + "lost ones, and may take their units if Redis has lost orders too", late);
        }
        return false;
    }

    private boolean forgetLost(RefillProgress progress) {
        try {
            return refill.forgetLost(progress);
        } catch (CompletionException | LedgerFailure e) {
            LOG.debugf("Lost steps of partition %d are kept: %s", progress.index(),
                    e.getMessage());
            return false;
        }
    }

    private void round(KeptLease held) {
        failed.clear();
        try {
            // Of all partitions first, because a sale may have orders in others than its own.
            each(held, refill::storeOffers);
            // Before the orders, because Redis may lose this evidence meanwhile.
            each(held, refill::addSteps);
            each(held, refill::restoreOrders);
            // Only then, because the streams of all partitions drain at the same time.
            long requeuedNanos = System.nanoTime() + drainNanos;
            each(held, progress -> refill.endDeferral(progress, requeuedNanos));
            long allNanos = System.nanoTime() + drainNanos;
            each(held, progress -> refill.complete(progress, allNanos));
        } finally {
            failures.endRound();
        }
    }

    /**
     * Takes a step for each partition, as long as this pod has the lease.
     *
     * @param step returns false if the ledger did not take the orders from the stream in time
     */
    private void each(KeptLease held, Predicate<RefillProgress> step) {
        for (int partition : behind()) {
            if (!held.renew()) {
                return;
            }
            // A partition that failed could wait for a dead server once more.
            if (!failed.contains(partition)) {
                tryTo(partition, step);
            }
        }
    }

    private void tryTo(int partition, Predicate<RefillProgress> step) {
        RefillProgress progress = inProgress.computeIfAbsent(partition,
                none -> new RefillProgress(partitions.all().get(partition), epoch));
        try {
            if (!step.test(progress)) {
                fail(partition, new IllegalStateException(
                        "its orders and grabs still wait for the ledger"));
            }
            if (progress.refilled != null) {
                inProgress.remove(partition);
                refilled.put(partition, progress);
            }
        } catch (CompletionException | LedgerFailure e) {
            fail(partition, e);
        } catch (RuntimeException e) {
            if (fail(partition, e)) {
                LOG.errorf(e, "Partition %d of the ledger cannot be refilled", partition);
            }
        }
    }

    /** Returns whether the partition had not failed in the previous round. */
    private boolean fail(int partition, RuntimeException cause) {
        failed.add(partition);
        return failures.note("partition " + partition, cause);
    }

    private List<Integer> behind() {
        List<Integer> behind = new ArrayList<>(ledger.transact((connection, ledgerState) -> {
            if (ledgerState.epoch() != epoch) {
                // Another PostgreSQL process may have lost what this one has stored.
                epoch = ledgerState.epoch();
                inProgress.clear();
                refilled.clear();
            }
            return ledgerState.checked() ? RefillRows.behind(connection) : List.of();
        }));
        // Another pod may have refilled the others.
        inProgress.keySet().retainAll(behind);
        behind.removeAll(lease.refused());
        return behind;
    }
}
