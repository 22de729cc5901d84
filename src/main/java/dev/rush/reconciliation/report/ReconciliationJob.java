package dev.rush.reconciliation.report;

import dev.rush.RushConfig;
import dev.rush.http.ProblemException;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.LossRows;
import dev.rush.ledger.OfferCache;
import dev.rush.ledger.PeriodicTask;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import dev.rush.metrics.KnownGauge;
import dev.rush.redis.Partition;
import dev.rush.redis.Shards;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Checks the books of all sales and rains that are open or were closed within the last hour,
 * repeatedly, and together in one round, so that a round costs what changed. A drift on the same
 * side in two consecutive rounds raises the alarm: metrics and an error in the log. One pod checks
 * at a time; another takes over from a dead one, and from one that refuses partitions and skips
 * their books. A sale that was balanced and has not changed in either store is evaluated only every
 * third time.
 */
@Singleton
public class ReconciliationJob {

    private static final Logger LOG = Logger.getLogger(ReconciliationJob.class);
    private static final String LEASE = "books";
    /** Checking takes at most a third of the time of one thread and one connection. */
    private static final int PAUSE_FACTOR = 2;
    private static final int CONCURRENT_MAX = 16;
    private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final Sql SUBJECTS = Sql.named("book-subjects", """
            SELECT id, sale, partitions && ? FROM (
                SELECT sale AS id, true AS sale, partitions, closed_at_ms, ends_at_ms
                FROM sales WHERE state = 'loaded'
                UNION ALL
                SELECT rain, false, ARRAY[partition], closed_at_ms, ends_at_ms
                FROM rains WHERE state = 'loaded') AS known
            WHERE COALESCE(LEAST(NULLIF(closed_at_ms, 0), NULLIF(ends_at_ms, 0)), 1e15)
                > (extract(epoch FROM now() - interval '1 hour') * 1000)::bigint
            ORDER BY random()""");

    private final Ledger ledger;
    private final OfferCache offers;
    private final Books books;
    private final RainBooks rains;
    private final LeaderLease lease;
    private final SaleSnapshots snapshots;
    private final StreamScan streams;
    private final SequenceObserver observer;
    private final long intervalMs;
    private final boolean active;
    private final PeriodicTask task;
    private final Failures failures = new Failures(LOG::warn,
            "The books of %d more sales and rains cannot be read now, for example of %s");
    /** Whether the next round is left to another pod. */
    private boolean skipsNext;
    private long pauseUntilNanos = System.nanoTime();
    private Map<String, Finding> before = new HashMap<>();
    private final KnownGauge drift;
    private final KnownGauge oversold;
    private final KnownGauge checked;

    /**
     * Compares the sequence numbers of a partition in both stores.
     */
    @FunctionalInterface
    public interface SequenceObserver {

        /**
         * Compares the numbers.
         *
         * @param stored  the highest number that the ledger had before Redis was read
         * @param seq     the highest number that Redis had given out when it was read
         * @param redisMs when Redis was read, by its clock
         */
        void compare(Partition partition, long stored, long seq, long redisMs);
    }

    /** A sale or rain to check; refused if this pod does not support its layout. */
    private record Subject(String id, boolean isSale, boolean refused) {

        private String name() {
            return (isSale ? "sale " : "rain ") + id;
        }
    }

    @Inject
    ReconciliationJob(Ledger ledger, OfferCache offers, Books books, RainBooks rains,
            LeaderLease lease, SaleSnapshots snapshots, StreamScan streams,
                    SequenceObserver observer,
            RushConfig config, MeterRegistry registry) {
        this.ledger = ledger;
        this.offers = offers;
        this.books = books;
        this.rains = rains;
        this.lease = lease;
        this.snapshots = snapshots;
        this.streams = streams;
        this.observer = observer;
        this.intervalMs = config.books().interval().toMillis();
        this.active = config.orders().sink().stores() && config.role().writes();
        this.task = new PeriodicTask("books", intervalMs, this::round);
        this.drift = new KnownGauge(registry, "rush.books.drift", null,
                "Units by which Redis and the ledger disagree");
        this.oversold = new KnownGauge(registry, "rush.books.oversold", null,
                "Units that are offered or sold twice");
        this.checked = new KnownGauge(registry, "rush.books.checked", "seconds",
                "When all books were last checked, in seconds since 1970");
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            task.start();
        }
    }

    void stop(@Observes ShutdownEvent event) {
        task.close();
    }

    /** Checks all books, unless it is time to pause or another pod has the lease. */
    boolean round() {
        boolean skips = skipsNext;
        skipsNext = false;
        if (skips || System.nanoTime() - pauseUntilNanos < 0) {
            return false;
        }
        if (!lease.take(LEASE, 3 * intervalMs + 1000)) {
            before = new HashMap<>();
            drift.forget();
            oversold.forget();
            return false;
        }
        long begun = System.nanoTime();
        Map<String, Finding> found = check(subjects(lease.refused()));
        failures.endRound();
        before = found;
        drift.set(found.values().stream().mapToLong(Finding::alarmedUnits).sum());
        oversold.set(found.values().stream().mapToLong(Finding::oversold).sum());
        checked.set(System.currentTimeMillis() / 1000.0);
        long now = System.nanoTime();
        pauseUntilNanos = now + Math.min(TimeUnit.MINUTES.toNanos(1), PAUSE_FACTOR * (now - begun));
        skipsNext = lease.releaseIfPartial(LEASE);
        return false;
    }

    private List<Subject> subjects(Set<Integer> refused) {
        return ledger.transact((connection, ledgerState) -> SUBJECTS.list(connection, row ->
                new Subject(row.getString(1), row.getBoolean(2), row.getBoolean(3)),
                SqlArray.integers(refused)));
    }

    private Map<String, Finding> check(List<Subject> subjects) {
        Map<String, Finding> found = new HashMap<>();
        // A subject that cannot be evaluated this time keeps its finding.
        subjects.stream().map(Subject::name).filter(before::containsKey)
                .forEach(name -> found.put(name, before.get(name)));
        List<String> sales = subjects.stream().filter(subject -> subject.isSale && !subject.refused)
                .map(Subject::id).toList();
        checkSales(sales, found);
        for (Subject rain : subjects) {
            if (!rain.isSale && !rain.refused) {
                checkRain(rain, found);
                lease.take(LEASE, 3 * intervalMs + 1000);
            }
        }
        return found;
    }

    private void checkSales(List<String> sales, Map<String, Finding> found) {
        Map<Integer, Long> stored = ledger.transact((c, ledgerState) -> LossRows.lastSeqs(c));
        Map<String, Map<Place, Units>> sums = ledger.transact((connection, ledgerState) ->
                BookSums.sums(connection, sales));
        Map<String, SaleSnapshot> redis = snapshots(sales);
        redis.values().forEach(snapshot -> snapshot.shards().forEach(shard -> observer.compare(
                shard.partition(), stored.getOrDefault(shard.partition().index(), 0L),
                shard.seq(), shard.redisMs())));
        redis.entrySet().removeIf(sale -> {
            Finding last = before.get("sale " + sale.getKey());
            return last != null && last.isStillValid(state(
                    sale.getValue(), sums.getOrDefault(sale.getKey(), Map.of())));
        });
        Map<String, Books.Reading> readings = readings(redis, sums);
        books.reckon(readings).forEach((sale, reckoning) -> {
            if (!reckoning.isUnsure() && !reckoning.books().retired()) {
                String name = "sale " + sale;
                Books.Reading reading = Objects.requireNonNull(readings.get(sale));
                found.put(name, Finding.ofSale(name, before.get(name),
                        state(reading.redis(), sums.getOrDefault(sale, Map.of())), reckoning));
            }
        });
    }

    /** A value that changes when either store changes. */
    private static Object state(SaleSnapshot redis, Map<Place, Units> sums) {
        return List.of(redis.state(), sums);
    }

    /** Reads sales from Redis, with bounded concurrency; those that fail are left out. */
    private Map<String, SaleSnapshot> snapshots(List<String> sales) {
        Map<String, SaleSnapshot> all = new HashMap<>();
        for (int from = 0; from < sales.size(); from += CONCURRENT_MAX) {
            Map<String, CompletableFuture<SaleSnapshot>> calls = new HashMap<>();
            sales.subList(from, Math.min(sales.size(), from + CONCURRENT_MAX)).forEach(sale ->
                    tryTo("sale " + sale, () -> {
                        Shards shards = offers.shards(offers.readSale(sale), sale);
                        calls.put(sale, snapshots.of(sale, shards));
                    }));
            calls.forEach((sale, call) -> tryTo("sale " + sale, () -> all.put(sale, call.join())));
        }
        return all;
    }

    private void tryTo(String name, Runnable work) {
        try {
            work.run();
        } catch (CompletionException | LedgerFailure | ProblemException e) {
            failures.note(name, e);
        }
    }

    /**
     * Sales for which the ledger has everything that Redis had accepted, or whose queued orders
     * could be read. If too many are queued, or their Redis is down, a sale cannot be evaluated.
     */
    private Map<String, Books.Reading> readings(Map<String, SaleSnapshot> redis,
            Map<String, Map<Place, Units>> sums) {
        long until = System.nanoTime() + DRAIN_NANOS;
        Map<String, Books.Reading> readings = new HashMap<>();
        redis.forEach((sale, snapshot) -> tryTo("sale " + sale, () -> {
            List<Map<String, String>> waiting = new ArrayList<>();
            for (SaleSnapshot.Shard shard : snapshot.shards()) {
                boolean passed = streams.awaitPast(shard.partition(), shard.last(), until);
                if (!passed && snapshot.backlog() > streams.ordersMax()) {
                    return;
                }
                waiting.add(passed ? Map.of() : streams.read(
                        shard.partition(), "purchase", sale, shard.last()));
            }
            readings.put(sale, new Books.Reading(
                    snapshot, sums.getOrDefault(sale, Map.of()), waiting));
        }));
        return readings;
    }

    private void checkRain(Subject rain, Map<String, Finding> found) {
        tryTo(rain.name(), () -> {
            RainBooks.View view = rains.of(rain.id);
            if (view != null) {
                found.put(rain.name(), Finding.ofRain(rain.name(), before.get(rain.name()),
                        view));
            }
        });
    }
}
