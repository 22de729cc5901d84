package dev.rush.books;

import dev.rush.RushConfig;
import dev.rush.metrics.KnownGauge;
import dev.rush.order.Ledger;
import dev.rush.order.LedgerFailure;
import dev.rush.order.Ticker;
import dev.rush.order.sql.Sql;
import dev.rush.order.sql.SqlArray;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Checks the books of everything that is open, or closed within the last hour, again and again. A
 * drift on one side that two checks in a row find raises the alarm: metrics and an error in the
 * log. One pod checks at a time; another takes over from one that is gone, and from one that
 * refuses partitions, whose books it passes over. A sale that was balanced
 * and has not changed in Redis is looked at every third time only.
 */
@Singleton
class Watch {

    private static final Logger LOG = Logger.getLogger(Watch.class);
    private static final String DUTY = "books";
    /** Checking takes at most a third of the time of one thread and one connection. */
    private static final int REST = 2;
    private static final Sql SUBJECTS = Sql.named("books-to-check", """
            SELECT id, sale, partitions && ? FROM (
                SELECT sale AS id, true AS sale, partitions, closed_at_ms,
                    (definition::jsonb ->> 'closesAt')::bigint AS closes_at_ms
                FROM sales WHERE state = 'loaded'
                UNION ALL
                SELECT rain, false, ARRAY[partition], closed_at_ms,
                    (definition::jsonb ->> 'endsAt')::bigint
                FROM rains WHERE state = 'loaded') AS known
            WHERE COALESCE(LEAST(NULLIF(closed_at_ms, 0), NULLIF(closes_at_ms, 0)), 1e15)
                > extract(epoch FROM now() - interval '1 hour') * 1000
            ORDER BY random()""");

    private final Ledger ledger;
    private final Books books;
    private final RainBooks rains;
    private final Losses losses;
    private final Duties duties;
    private final SaleSnapshots snapshots;
    private final StreamScan streams;
    private final long intervalMs;
    private final long quietNanos;
    private final boolean active;
    private final Ticker ticker;
    private final Failures failures = new Failures(LOG::warn,
            "The books of %d more sales and rains cannot be read now, such as of %s");
    /** Whether the next round is left to another pod. */
    private boolean passesNext;
    private long restUntilNanos = System.nanoTime();
    /** Sequence numbers that the ledger had when the round began, hence Redis too. */
    private Map<Integer, Long> stored = Map.of();
    private Map<String, Finding> before = new HashMap<>();
    private final KnownGauge drift;
    private final KnownGauge oversold;
    private final KnownGauge checked;

    /**
     * A sale or rain that is checked.
     *
     * @param refused whether part of it has a layout that this pod does not know
     */
    private record Subject(String id, boolean sale, boolean refused) {
    }

    /**
     * What a check found.
     *
     * @param state   differs when Redis has changed since
     * @param drift   units or envelopes, by item
     * @param alarmed what of it an earlier check had found too
     */
    private record Finding(Object state, Map<String, Long> drift, Map<String, Long> alarmed,
            long oversold, long nanos) {

        boolean isClean() {
            return drift.values().stream().allMatch(units -> units == 0);
        }
    }

    @Inject
    Watch(Ledger ledger, Books books, RainBooks rains, Losses losses, Duties duties,
            SaleSnapshots snapshots, StreamScan streams, RushConfig config,
            MeterRegistry registry) {
        this.ledger = ledger;
        this.books = books;
        this.rains = rains;
        this.losses = losses;
        this.duties = duties;
        this.snapshots = snapshots;
        this.streams = streams;
        this.intervalMs = config.books().interval().toMillis();
        this.quietNanos = TimeUnit.MILLISECONDS.toNanos(2 * intervalMs);
        this.active = config.orders().sink().stores() && config.role().writes();
        this.ticker = new Ticker("books", intervalMs, this::round);
        this.drift = new KnownGauge(registry, "rush.books.drift", null,
                "Units by which Redis and the ledger disagree");
        this.oversold = new KnownGauge(registry, "rush.books.oversold", null,
                "Units that are offered or sold twice");
        this.checked = new KnownGauge(registry, "rush.books.checked", "seconds",
                "When all books were last checked, in seconds since 1970");
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            ticker.start();
        }
    }

    void stop(@Observes ShutdownEvent event) {
        ticker.close();
    }

    /** Checks all books, unless it is time to rest or another pod's duty. */
    boolean round() {
        boolean passes = passesNext;
        passesNext = false;
        if (passes || System.nanoTime() - restUntilNanos < 0) {
            return false;
        }
        if (!duties.take(DUTY, 3 * intervalMs + 1000)) {
            before = new HashMap<>();
            drift.forget();
            oversold.forget();
            return false;
        }
        long begun = System.nanoTime();
        stored = ledger.transact(LossRows::highest);
        Map<String, Finding> found = new HashMap<>();
        Set<Integer> refused = duties.refused();
        for (Subject subject : subjects(refused)) {
            String name = (subject.sale ? "sale " : "rain ") + subject.id;
            Finding finding = check(subject, name);
            if (finding != null) {
                found.put(name, finding);
            }
            duties.take(DUTY, 3 * intervalMs + 1000);
        }
        failures.tell();
        before = found;
        drift.set(found.values().stream()
                .flatMap(finding -> finding.alarmed.values().stream()).mapToLong(Math::abs).sum());
        oversold.set(found.values().stream().mapToLong(finding -> finding.oversold).sum());
        checked.set(System.currentTimeMillis() / 1000.0);
        long now = System.nanoTime();
        restUntilNanos = now + Math.min(TimeUnit.MINUTES.toNanos(1), REST * (now - begun));
        passesNext = duties.leave(DUTY);
        return false;
    }

    private List<Subject> subjects(Set<Integer> refused) {
        return ledger.transact(connection -> SUBJECTS.list(connection, row ->
                new Subject(row.getString(1), row.getBoolean(2), row.getBoolean(3)),
                SqlArray.integers(refused)));
    }

    /** Null where nothing could be said this time. */
    private Finding check(Subject subject, String name) {
        Finding last = before.get(name);
        if (subject.refused) {
            return last;
        }
        try {
            return subject.sale ? checkSale(subject.id, name, last)
                    : checkRain(subject.id, name, last);
        } catch (CompletionException | LedgerFailure e) {
            failures.note(name, e);
            return last;
        }
    }

    private Finding checkSale(String sale, String name, Finding last) {
        SaleSnapshot snapshot = snapshots.of(sale);
        snapshot.shards().forEach(shard -> losses.witness(shard.partition(),
                stored.getOrDefault(shard.partition().index(), 0L), shard.seq(),
                shard.redisMs()));
        Object state = snapshot.state();
        if (last != null && last.isClean() && last.state.equals(state) && snapshot.backlog() == 0
                && System.nanoTime() - last.nanos < quietNanos) {
            return last;
        }
        if (snapshot.backlog() > streams.most()) {
            return last;
        }
        Books.Reckoning reckoning = books.reckon(sale, snapshot);
        if (reckoning == null) {
            return null;
        }
        SaleBooks found = reckoning.books();
        Map<String, Long> drift = new HashMap<>();
        long oversold = 0;
        for (SaleBooks.Item item : found.items()) {
            long units = item.drift() != 0 ? item.drift() : item.ledgerTotal() - item.total();
            drift.put(item.sku(), found.verdict() == Verdict.NOT_LOADED
                    ? Math.min(-1, units) : units);
            oversold += found.verdict() == Verdict.NOT_LOADED ? 0 : item.oversold();
        }
        return judge(name, last, state, drift, oversold, found);
    }

    private Finding checkRain(String rain, String name, Finding last) {
        RainBooks.View found = rains.of(rain);
        if (found == null) {
            return null;
        }
        boolean gone = found.verdict() == Verdict.NOT_LOADED;
        long drift = gone ? Math.min(-1, found.drift())
                : found.drift() != 0 ? found.drift()
                : found.verdict() == Verdict.BALANCED ? 0
                : found.verdict() == Verdict.OVERSOLD ? -1 : 1;
        return judge(name, last, found, Map.of("envelopes", drift),
                gone ? 0 : Math.max(0, -drift), found);
    }

    /** A drift alarms that was on the same side at the last check. */
    private Finding judge(String name, Finding last, Object state, Map<String, Long> drift,
            long oversold, Object evidence) {
        Map<String, Long> alarmed = new HashMap<>();
        drift.forEach((part, units) -> {
            long earlier = last == null ? 0 : last.drift.getOrDefault(part, 0L);
            if (units != 0 && Long.signum(units) == Long.signum(earlier)) {
                alarmed.put(part, Math.abs(units) < Math.abs(earlier) ? units : earlier);
            }
        });
        if (!alarmed.isEmpty() && !alarmed.equals(last.alarmed)) {
            LOG.errorf("The books of %s do not balance: %s. %s", name, alarmed, evidence);
        } else if (alarmed.isEmpty() && last != null && !last.alarmed.isEmpty()) {
            LOG.infof("The books of %s balance again", name);
        }
        return new Finding(state, drift, alarmed, alarmed.isEmpty() ? 0 : oversold,
                System.nanoTime());
    }
}
