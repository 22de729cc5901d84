package dev.rush.reconciliation.repair;

import dev.rush.RushConfig;
import dev.rush.ledger.Actor;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.LedgerState;
import dev.rush.ledger.PeriodicTask;
import dev.rush.ledger.Reservations;
import dev.rush.ledger.Reservations.HeldPart;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
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
import java.util.LinkedHashMap;
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
 * starts again, on one pod at a time. Before that the partition's reservations are put on hold,
 * because they may have been paid, and those without evidence stay on hold.
 */
@Singleton
class Refill {

    private static final Logger LOG = Logger.getLogger(Refill.class);
    private static final Actor ACTOR = Actor.service("refill");
    private static final String LEASE = "refill";
    private static final long LEASE_MS = 60_000;
    private static final long PAUSE_MS = 500;
    private static final Sql BEHIND = Sql.named("partitions-to-refill", """
            SELECT partition FROM partitions WHERE behind_since < 'infinity' ORDER BY 1""");
    private static final Sql SALES = Sql.named("sales-to-refill", """
            SELECT sale, month FROM sales WHERE state = 'loaded' AND partitions @> ?::integer[]""");
    private static final Sql RAINS = Sql.named("rains-to-refill", """
            SELECT rain, month FROM rains WHERE state = 'loaded' AND partition = ?""");
    private static final Sql FILLED = Sql.named("partition-refilled", """
            UPDATE partitions SET seq = GREATEST(seq, ?), behind_since = NULL
            WHERE partition = ? AND behind_since < 'infinity'""");
    private static final Sql NOW = Sql.named("time-of-refill", "SELECT now()::text");
    /** A postponed order is retried after the same pause each time. */
    private static final Sql POSTPONED = Sql.named("retries-of-before", """
            SELECT 1 FROM retries WHERE partition = ? AND state = 'retrying'
                AND next_at <= ?::timestamptz + ? * interval '1 ms' LIMIT 1""");
    private static final int PART = 5_000;
    private static final String EVER = "infinity";

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
        List<Integer> behind = behind();
        if (behind.isEmpty() || !lease.take(LEASE, LEASE_MS)) {
            return false;
        }
        try {
            // All of them first, because a sale may have orders in partitions before its own.
            behind.forEach(partition -> tryTo(partition, this::storeOffers));
            // Before the orders, because Redis may lose this evidence meanwhile.
            behind().forEach(partition -> tryTo(partition, this::addSteps));
            behind().forEach(partition -> tryTo(partition, this::restoreOrders));
            // Only then, because the streams of all partitions drain at the same time.
            behind().forEach(partition -> tryTo(partition, this::complete));
        } finally {
            failures.endRound();
            lease.release(LEASE);
        }
        return false;
    }

    private List<Integer> behind() {
        List<Integer> behind = new ArrayList<>(ledger.transact((connection, ledgerState) -> {
            if (ledgerState.epoch() != epoch) {
                // Another PostgreSQL process may have lost what this one has stored.
                epoch = ledgerState.epoch();
                inProgress.clear();
            }
            return ledgerState.checked() ? BEHIND.list(connection,
                    row -> row.getInt(1)) : List.of();
        }));
        behind.removeAll(lease.refused());
        return behind;
    }

    private void tryTo(int partition, Consumer<Partition> work) {
        try {
            work.accept(partitions.all().get(partition));
        } catch (CompletionException | LedgerFailure e) {
            failures.note("partition " + partition, e);
        }
        lease.take(LEASE, LEASE_MS);
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
                    Reservations.hold(connection, partition.index(), first, PART));
            progress.held += held.orders();
            progress.isHeld = held.orders() < PART;
            from = held.last();
            lease.take(LEASE, LEASE_MS);
        }
    }

    /** Adds the reported steps of orders that the ledger has, once in an epoch. */
    private void addSteps(Partition partition) {
        RefillProgress progress = progress(partition);
        if (!progress.hasSteps) {
            progress.reported += steps.reported(Evidence.read(redis, partition, epoch).join());
            progress.hasSteps = true;
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
        if (progress.stepsAt != null && isPostponed(partition, progress.stepsAt)) {
            LOG.debugf("Postponed orders of partition %d have not been retried yet",
                    partition.index());
            return;
        }
        Evidence evidence = Evidence.read(redis, partition, epoch).join();
        // At once for stored orders, because later steps displace these in Redis.
        progress.reported += steps.reported(evidence);
        Map<String, Integer> sales = months(SALES, SqlArray.integers(List.of(partition.index())));
        for (Map.Entry<String, Integer> rain : months(RAINS, partition.index()).entrySet()) {
            progress.grabs += requeue.requeueGrabs(rain.getKey(), rain.getValue(), partition);
            lease.take(LEASE, LEASE_MS);
        }
        for (Map.Entry<String, Integer> sale : sales.entrySet()) {
            progress.orders += requeue.requeue(sale.getKey(), sale.getValue(), partition);
            lease.take(LEASE, LEASE_MS);
        }
        progress.requeued = new RefillProgress.Requeued(evidence, sales, lastNow(partition));
    }

    /** Adds steps, and ends the refill, once the ledger has the orders and grabs. */
    private void complete(Partition partition) {
        RefillProgress progress = progress(partition);
        if (progress.requeued == null) {
            return;
        }
        Evidence evidence = progress.requeued.evidence();
        Map<String, Integer> sales = progress.requeued.sales();
        if (!streams.awaitPast(partition, progress.requeued.last(),
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(drainMs))) {
            failures.note("partition " + partition.index(),
                    new IllegalStateException("its orders and grabs still wait for the ledger"));
            return;
        }
        boolean isPostponed = isPostponed(partition, EVER);
        // First, because an order that was paid and then returned has two reported steps.
        long reported = steps.reported(evidence);
        long ended = 0;
        for (Map.Entry<String, Integer> sale : sales.entrySet()) {
            ended += steps.ended(sale.getKey(), sale.getValue(), partition);
            lease.take(LEASE, LEASE_MS);
        }
        progress.reported += reported;
        progress.ended += ended;
        if (isPostponed && (progress.stepsAt == null || reported + ended > 0)) {
            // They may fit now, and have steps that were reported to clients.
            progress.stepsAt = ledger.transact((connection, ledgerState) ->
                    NOW.one(connection, row -> row.getString(1)));
            return;
        }
        finish(partition, evidence, progress);
    }

    private void finish(Partition partition, Evidence evidence, RefillProgress progress) {
        List<String> unknown = unknown(evidence);
        Map<String, Object> found = progress.found(partition, unknown);
        ledger.transactOrNull((connection, ledgerState) -> {
            note(connection, ledgerState, evidence, found);
            return null;
        });
        steps.forget(evidence);
        inProgress.remove(partition.index());
        LOG.warnf("The ledger was refilled from Redis: %s", found);
    }

    /** Whether there are postponed orders that were not retried since a given time. */
    private boolean isPostponed(Partition partition, String since) {
        return ledger.transact((connection, ledgerState) ->
                POSTPONED.exists(connection, partition.index(), since, retryMs));
    }

    /** The months of the sales or rains in a query's result. */
    private Map<String, Integer> months(Sql query, Object parameter) {
        return ledger.transact((connection, ledgerState) -> {
            Map<String, Integer> months = new LinkedHashMap<>();
            query.each(connection, row -> months.put(row.getString(1), row.getInt(2)), parameter);
            return months;
        });
    }

    /** The greatest id that an entry of a stream can have now. */
    private String lastNow(Partition partition) {
        long now = redis.command("TIME", partition.keys()).join().at(0).number();
        // The whole current second, because ids of current entries have a number after the time.
        return Long.toString(TimeUnit.SECONDS.toMillis(now + 1));
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

    private static void note(Connection connection, LedgerState ledgerState, Evidence evidence,
            Map<String, Object> found) throws SQLException {
        if (FILLED.update(connection, evidence.seq(), evidence.partition().index()) == 1) {
            AuditRows.insert(connection, ledgerState, UUID.randomUUID(), ACTOR, "ledger.refilled",
                    "ledger", null, found, null);
        }
    }
}
