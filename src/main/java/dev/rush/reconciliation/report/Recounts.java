package dev.rush.reconciliation.report;

import dev.rush.RushConfig;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.PeriodicTask;
import dev.rush.ledger.sql.Sql;
import dev.rush.metrics.KnownGauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Recounts loaded sales and rains periodically, and single ones on request. A sale whose sums have
 * not changed since its last recount is skipped for a day. After each page, a recount pauses for as
 * long as the page took. One pod recounts at a time; a drift is not repaired automatically.
 */
@Singleton
public class Recounts {

    private static final Logger LOG = Logger.getLogger(Recounts.class);
    private static final String LEASE = "recount";
    private static final long LEASE_MS = 120_000;
    /** Interval at which a pod checks whether it has the lease and a round is due. */
    private static final long POLL_MS = 5_000;
    private static final long AGE_MAX_NANOS = TimeUnit.DAYS.toNanos(1);
    private static final Sql LOADED = Sql.named("subjects-to-recount", """
            SELECT sale, month, true FROM sales WHERE state = 'loaded'
            UNION ALL SELECT rain, month, false FROM rains WHERE state = 'loaded'""");
    private static final Sql NOTE = Sql.named("note-recount", """
            INSERT INTO recounts (subject, counted_at, drift, stored) VALUES (?, now(), ?, ?)
            ON CONFLICT (subject) DO UPDATE SET counted_at = excluded.counted_at,
                drift = excluded.drift, stored = excluded.stored""");
    private static final Sql KNOWN = Sql.named("known-recount-drift", """
            SELECT COALESCE(sum(r.drift), 0) FROM (
                SELECT sale AS subject FROM sales WHERE state = 'loaded'
                UNION ALL SELECT rain FROM rains WHERE state = 'loaded') AS loaded
            JOIN recounts r ON r.subject = loaded.subject""");
    private static final Sql MONTH = Sql.named("month-of-subject", """
            SELECT month FROM sales WHERE sale = ? UNION ALL
            SELECT month FROM rains WHERE rain = ?""");

    private final Ledger ledger;
    private final LeaderLease lease;
    private final boolean active;
    private final long intervalNanos;
    private final PeriodicTask task = new PeriodicTask(LEASE, POLL_MS, this::poll);
    private final KnownGauge drift;
    private final Map<String, Last> before = new HashMap<>();
    /** Results of requested recounts, kept for a day; used by the requesting threads. */
    private final Map<Subject, Last> requested = new ConcurrentHashMap<>();
    /** When this pod took the lease, or ended a round; null without the lease. */
    private @Nullable Long sinceNanos;

    /** A sale or rain. */
    private record Subject(String id, int month, boolean isSale) {

        private Recount count(Ledger ledger, LongConsumer pause) {
            return ledger.readSnapshot((connection, ledgerState) -> isSale
                    ? Recount.ofSale(connection, id, month, pause)
                    : Recount.ofRain(connection, id, month, pause));
        }

        private Map<Place, Units> sums(Ledger ledger) {
            return ledger.transact((connection, ledgerState) -> isSale
                    ? BookSums.sums(connection, List.of(id)).getOrDefault(id, Map.of())
                    : Recount.sumsOfRain(connection, id));
        }
    }

    private record Last(Map<Place, Units> sums, long drift, long nanos) {

        private boolean isOld() {
            return System.nanoTime() - nanos > AGE_MAX_NANOS;
        }
    }

    @Inject
    Recounts(Ledger ledger, LeaderLease lease, RushConfig config, MeterRegistry registry) {
        this(ledger, lease, config.books().recount(), registry,
                config.orders().sink().stores() && config.role().writes());
    }

    /**
     * Creates the recounts of one pod.
     *
     * @param interval interval of rounds
     */
    public Recounts(Ledger ledger, LeaderLease lease, Duration interval, MeterRegistry registry) {
        this(ledger, lease, interval, registry, true);
    }

    private Recounts(Ledger ledger, LeaderLease lease, Duration interval, MeterRegistry registry,
            boolean active) {
        this.active = active;
        this.ledger = ledger;
        this.lease = lease;
        this.intervalNanos = interval.toNanos();
        this.drift = new KnownGauge(registry, "rush.books.recount.drift", null,
                "Units by which the ledger's sums differ from its rows");
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            task.start();
        }
    }

    void stop(@Observes ShutdownEvent event) {
        task.close();
    }

    /** The units by which the sums of a sale or rain differ from its rows now. */
    public long drift(String id, boolean isSale) {
        return recount(subject(id, isSale)).drift;
    }

    /**
     * As {@link #drift}, but reuses the last requested recount for a day while the sums are
     * unchanged, so that a caller that asks in each round does not read all rows each time.
     */
    public long cachedDrift(String id, boolean isSale) {
        requested.values().removeIf(Last::isOld);
        Subject subject = subject(id, isSale);
        Last last = requested.get(subject);
        if (last == null || !last.sums.equals(subject.sums(ledger))) {
            last = recount(subject);
            requested.put(subject, last);
        }
        return last.drift;
    }

    private Subject subject(String id, boolean isSale) {
        return new Subject(id, ledger.transact((connection, ledgerState) ->
                MONTH.one(connection, row -> row.getInt(1), id, id)), isSale);
    }

    /**
     * Keeps the lease if possible, and runs a round when due. Until then the previous results are
     * reported.
     */
    boolean poll() {
        if (!lease.take(LEASE, LEASE_MS)) {
            before.clear();
            drift.forget();
            sinceNanos = null;
        } else if (sinceNanos == null) {
            drift.set(ledger.transact((connection, ledgerState) ->
                    KNOWN.one(connection, row -> row.getLong(1))));
            sinceNanos = System.nanoTime();
        } else if (System.nanoTime() - sinceNanos >= intervalNanos) {
            round();
            sinceNanos = System.nanoTime();
        }
        return false;
    }

    /** Recounts what has changed since its last recount, until the lease is lost. */
    void round() {
        List<Subject> loaded = ledger.transact((connection, ledgerState) ->
                LOADED.list(connection, row -> new Subject(row.getString(1), row.getInt(2),
                        row.getBoolean(3))));
        before.keySet().retainAll(loaded.stream().map(Subject::id).toList());
        for (Subject subject : loaded) {
            try {
                Last last = before.get(subject.id);
                if (last == null || last.isOld()
                        || !last.sums.equals(subject.sums(ledger))) {
                    before.put(subject.id, recount(subject));
                }
            } catch (LedgerFailure e) {
                LOG.debugf("%s cannot be recounted now: %s", subject.id, e.getMessage());
            }
            if (!lease.take(LEASE, LEASE_MS)) {
                return;
            }
        }
        drift.set(before.values().stream().mapToLong(Last::drift).sum());
    }

    private Last recount(Subject subject) {
        long nanos = System.nanoTime();
        Recount found = subject.count(ledger, Recounts::pause);
        long units = found.drift();
        ledger.transact((connection, ledgerState) ->
                NOTE.update(connection, subject.id, units, found.stored()));
        if (units != 0) {
            LOG.errorf("The sums of %s differ from its rows by %d units: sums %s, rows %s",
                    subject.id, units, found.sums(), found.rows());
        }
        return new Last(found.sums(), units, nanos);
    }

    private static void pause(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
