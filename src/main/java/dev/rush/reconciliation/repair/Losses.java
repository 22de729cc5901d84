package dev.rush.reconciliation.repair;

import dev.rush.RushConfig;
import dev.rush.ledger.KeptLease;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.LossRows;
import dev.rush.ledger.LossRows.Loss;
import dev.rush.ledger.Months;
import dev.rush.ledger.PeriodicTask;
import dev.rush.reconciliation.report.Failures;
import dev.rush.reconciliation.report.ReconciliationJob;
import dev.rush.reconciliation.report.StreamScan;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.batch.SequenceLost;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import org.jboss.logging.Logger;

/**
 * Handles losses of Redis failovers. Every pod records in the ledger what it detects. One pod at a
 * time then deducts again what the ledger still has, and, once the stream is drained past the loss,
 * counts the orders that no store has any more.
 */
@Singleton
class Losses implements ReconciliationJob.SequenceObserver {

    private static final Logger LOG = Logger.getLogger(Losses.class);
    private static final String LEASE = "losses";
    private static final long PAUSE_MS = 500;
    private static final long LEASE_MS = 60_000;
    private static final int NOTICED_MAX = 1000;

    private final Ledger ledger;
    private final Partitions partitions;
    private final StreamScan streams;
    private final Restorer restorer;
    private final LeaderLease lease;
    private final Counter lost;
    private final boolean writes;
    private final BlockingQueue<SequenceLost> noticed = new ArrayBlockingQueue<>(NOTICED_MAX);
    private final Failures failures = new Failures(LOG::warn,
            "The losses of %d more partitions cannot be repaired now, for example of %s");
    private final PeriodicTask task = new PeriodicTask("losses", PAUSE_MS, this::round);

    @Inject
    Losses(Ledger ledger, Partitions partitions, StreamScan streams, Restorer restorer,
            LeaderLease lease, RushConfig config, MeterRegistry registry) {
        this.ledger = ledger;
        this.partitions = partitions;
        this.streams = streams;
        this.restorer = restorer;
        this.lease = lease;
        this.writes = config.role().writes();
        this.lost = Counter.builder("rush.books.lost")
                .description("Accepted orders and grabs that no store knows any more")
                .register(registry);
    }

    void start(@Observes StartupEvent event) {
        if (ledger.isConfigured()) {
            task.start();
        }
    }

    void stop(@Observes ShutdownEvent event) {
        task.close();
    }

    /** Receives a loss; it is recorded as soon as the ledger is available. */
    void notice(@Observes SequenceLost loss) {
        if (ledger.isConfigured() && !noticed.offer(loss)) {
            LOG.errorf("Too many losses wait for the ledger, so %s is not counted", loss);
        }
    }

    /**
     * Detects numbers that the ledger has and Redis has not given out: Redis gave them out and lost
     * them.
     */
    @Override
    public void compare(Partition partition, long stored, long seq, long redisMs) {
        if (stored > seq && !ledger.transact((connection, ledgerState) ->
                LossRows.isKnown(connection, partition.index(), seq, stored))) {
            LOG.errorf("Redis lost accepted orders of partition %d: the ledger knows number %d, "
                    + "Redis is at %d", partition.index(), stored, seq);
            notice(new SequenceLost(partition, seq, stored, 0, redisMs, false, 0));
        }
    }

    /** Records detected losses, and repairs what can be repaired now. */
    boolean round() {
        for (SequenceLost loss = noticed.peek(); loss != null; loss = noticed.peek()) {
            SequenceLost next = loss;
            ledger.transactOrNull((connection, ledgerState) -> {
                LossRows.note(connection, new LossRows.Report(next.partition().index(),
                        next.low(), next.high(), next.sinceMs(), next.noticedAtMs(),
                        next.exact(), next.tenureBegunMs()));
                return null;
            });
            noticed.poll();
        }
        if (writes) {
            repair();
        }
        return false;
    }

    private void repair() {
        Set<Integer> skipped = new HashSet<>(lease.refused());
        List<Loss> open = ledger.transact((connection, ledgerState) ->
                LossRows.open(connection, skipped));
        if (open.isEmpty()) {
            return;
        }
        try (KeptLease held = KeptLease.take(lease, LEASE, LEASE_MS)) {
            if (held == null) {
                return;
            }
            for (Loss loss : open) {
                if (!skipped.contains(loss.partition()) && !tryToRepair(loss)) {
                    skipped.add(loss.partition());
                }
            }
        } finally {
            failures.endRound();
        }
    }

    /** False if a store failed: then the partition's other losses wait for the next round too. */
    private boolean tryToRepair(Loss loss) {
        try {
            repair(loss);
            return true;
        } catch (CompletionException | LedgerFailure e) {
            failures.note("partition " + loss.partition(), e);
            return false;
        }
    }

    private void repair(Loss loss) {
        Partition partition = partitions.all().get(loss.partition());
        boolean drained = streams.isDrainedPast(partition, loss.noticedAtMs());
        Long counted = loss.counted();
        if (counted == null && (!loss.restored() || drained)) {
            Restorer.Restored done = restorer.restore(loss.partition(), loss.low());
            if (done.orders() > 0 || done.credited() > 0) {
                LOG.warnf("Redis lost orders of partition %d: %d were deducted again, except %d "
                        + "units that were no longer free, and %d were credited again",
                        loss.partition(), done.orders(), done.shortBy(), done.credited());
            }
            ledger.transactOrNull((connection, ledgerState) -> {
                LossRows.restored(connection, loss, drained);
                return null;
            });
        }
        if (drained) {
            count(loss, counted == null ? loss.low() : counted);
        }
    }

    /** Counts part by part, so that counting resumes with a part that failed. */
    private void count(Loss loss, long low) {
        List<Integer> months = ledger.transact(
                (connection, ledgerState) -> Months.kept(connection));
        LossRows.Count part = new LossRows.Count(low, -1, 0);
        while (part != null && part.lost() < 0) {
            long from = part.upTo();
            part = ledger.transactOrNull((connection, ledgerState) ->
                    LossRows.count(connection, loss, from, months));
        }
        if (part != null && part.further() > 0) {
            lost.increment(part.further());
            LOG.errorf("%d of the %d orders and grabs that Redis lost of partition %d are in no "
                    + "store any more (numbers %d to %d)", part.lost(), loss.high() - loss.low(),
                    loss.partition(), loss.low() + 1, loss.high());
        }
    }
}
