package dev.rush.reconciliation.repair;

import dev.rush.RushConfig;
import dev.rush.ledger.Actor;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.LedgerState;
import dev.rush.ledger.LossRows;
import dev.rush.ledger.PeriodicTask;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import dev.rush.metrics.KnownGauge;
import dev.rush.reconciliation.repair.LostOffers.Lost;
import dev.rush.reconciliation.report.Failures;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisCommands;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jboss.logging.Logger;

/**
 * Compares each new PostgreSQL process with Redis, before anything is done that lost commits could
 * make wrong: a standby that took over, or a restored copy, may lack what was reported to clients.
 * The partitions whose data it lacks are behind. A partition whose Redis does not answer counts
 * as behind until it does. One pod checks; every pod sees in each transaction whether the check
 * was done.
 */
@Singleton
class BehindCheck {

    private static final Logger LOG = Logger.getLogger(BehindCheck.class);
    private static final Actor ACTOR = Actor.service("ledger");
    private static final String LEASE = "ledger-check";
    private static final long LEASE_MS = 10_000;
    private static final long PAUSE_MS = 200;
    /** Rounds after which partitions that did not answer are read again. */
    private static final int FULL_EVERY = 5;
    /** Partitions whose steps are read and compared at once, which bounds memory and statements. */
    private static final int GROUP = 32;
    private static final Sql CHECKED = Sql.named("ledger-checked", """
            UPDATE ledger SET epoch = GREATEST(reserved, ?), reserved = GREATEST(reserved, ?),
                server = ?, checked_at = now()
            WHERE server <> ?""");
    /**
     * A partition that is read later may know a later epoch; it lets no writer of an earlier one
     * remove entries.
     */
    private static final Sql RAISED = Sql.named("raise-epoch", """
            UPDATE ledger SET epoch = GREATEST(reserved, ?), reserved = GREATEST(reserved, ?),
                checked_at = now()
            WHERE epoch < ?""");
    private static final Sql UNREAD = Sql.named("partitions-unasked", """
            INSERT INTO partitions (partition, behind_since)
            SELECT p, 'infinity' FROM unnest(?::integer[]) AS p
            ON CONFLICT (partition) DO UPDATE SET behind_since = excluded.behind_since
            WHERE partitions.behind_since IS NULL""");
    private static final Sql SOUND = Sql.named("partitions-sound", """
            UPDATE partitions SET behind_since = NULL
            WHERE partition = ANY (?) AND behind_since = 'infinity'""");
    private static final Sql FIND = Sql.named("find-behind", """
            SELECT partition, behind_since = 'infinity' FROM partitions
            WHERE behind_since IS NOT NULL""");

    private final Ledger ledger;
    private final RedisCommands redis;
    private final Partitions partitions;
    private final LostOffers offers;
    private final LeaderLease lease;
    private final boolean active;
    private final KnownGauge behindNow;
    private final Failures failures = new Failures(LOG::warn,
            "%d process of PostgreSQL cannot be compared with Redis yet, and is retried: %s");
    private final PeriodicTask task = new PeriodicTask("behind-check", PAUSE_MS, this::round);
    private int rounds;

    @Inject
    BehindCheck(Ledger ledger, RedisCommands redis, Partitions partitions, LostOffers offers,
            LeaderLease lease, RushConfig config, MeterRegistry registry) {
        this.ledger = ledger;
        this.redis = redis;
        this.partitions = partitions;
        this.offers = offers;
        this.lease = lease;
        this.active = config.orders().sink().stores() && config.role().writes();
        this.behindNow = new KnownGauge(registry, "rush.ledger.behind.partitions", null,
                "Partitions of which the ledger may lack what Redis knows");
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            task.start();
        }
    }

    void stop(@Observes ShutdownEvent event) {
        task.close();
    }

    /**
     * The partitions that are behind.
     *
     * @param unread those that count as behind only because their Redis was not read
     */
    private record Found(LedgerState ledgerState, Set<Integer> behind, Set<Integer> unread) {
    }

    /** Runs a round; usually the process is already checked. */
    boolean round() {
        boolean isFull = rounds++ % FULL_EVERY == 0;
        Found found = ledger.transact((connection, ledgerState) -> found(connection, ledgerState));
        behindNow.set(found.behind.size());
        boolean again = isFull && !found.unread.isEmpty();
        if (found.ledgerState.checked() && !again || !lease.take(LEASE, LEASE_MS)) {
            return false;
        }
        try {
            compare(found);
        } catch (LedgerFailure | CompletionException e) {
            failures.note("server " + found.ledgerState.server(), e);
            throw e;
        } finally {
            failures.endRound();
        }
        lease.releaseIfPartial(LEASE);
        return false;
    }

    private void compare(Found found) {
        Collection<Partition> asked = found.ledgerState.checked()
                ? found.unread.stream().map(partitions.all()::get).toList() : partitions.all();
        Map<Integer, Integer> known =
                answers(asked, partition -> Evidence.epoch(redis, partition));
        CheckEpoch check = ledger.transact((connection, ledgerState) ->
                CheckEpoch.reserve(connection, ledgerState, known));
        if (!check.ledgerState().equals(found.ledgerState)) {
            return;
        }
        Map<Integer, Evidence> evidence = new HashMap<>();
        Set<Integer> lacking = new HashSet<>();
        List<Partition> answered = asked.stream()
                .filter(partition -> known.containsKey(partition.index())).toList();
        for (int from = 0; from < answered.size(); from += GROUP) {
            compareSteps(answered.subList(from, Math.min(answered.size(), from + GROUP)), check,
                    evidence, lacking);
        }
        List<LostTotals.Total> totals = totals(evidence);
        List<Lost> lost =
                offers.in(evidence.values()).stream().filter(Lost::wasReleased).toList();
        ledger.transactOrNull((connection, ledgerState) -> {
            if (ledgerState.equals(found.ledgerState)) {
                judge(connection, check, asked, evidence, lacking, totals, lost);
            }
            return null;
        });
    }

    /**
     * Reads the evidence of partitions, and adds it without its steps.
     *
     * @param lacking receives those of which the ledger lacks a step, if this process still runs
     */
    private void compareSteps(List<Partition> group, CheckEpoch check,
            Map<Integer, Evidence> evidence, Set<Integer> lacking) {
        lease.take(LEASE, LEASE_MS);
        Map<Integer, Evidence> read = answers(group,
                partition -> Evidence.read(redis, partition, check.epoch()));
        ledger.transact((connection, ledgerState) -> Evidence.missing(connection, read.values()))
                .forEach(step -> lacking.add(step.partition()));
        read.forEach((partition, one) -> evidence.put(partition, one.withoutSteps()));
    }

    private static Found found(Connection connection, LedgerState ledgerState) throws SQLException {
        Found found = new Found(ledgerState, new HashSet<>(), new HashSet<>());
        FIND.each(connection, row -> {
            found.behind.add(row.getInt(1));
            if (row.getBoolean(2)) {
                found.unread.add(row.getInt(1));
            }
        });
        return found;
    }

    /** Reads from all partitions whose Redis answers; calls have a timeout. */
    private static <T> Map<Integer, T> answers(Collection<Partition> asked,
            Function<Partition, CompletableFuture<T>> read) {
        Map<Partition, CompletableFuture<T>> calls = new LinkedHashMap<>();
        asked.forEach(partition -> calls.put(partition, read.apply(partition)));
        Map<Integer, T> answers = new HashMap<>();
        calls.forEach((partition, call) -> {
            try {
                answers.put(partition.index(), call.join());
            } catch (CompletionException e) {
                LOG.debugf("Partition %s could not be compared: %s", partition,
                        e.getMessage());
            }
        });
        return answers;
    }

    /** Totals of the partitions that answer; others are skipped. */
    private List<LostTotals.Total> totals(Map<Integer, Evidence> evidence) {
        List<LostTotals.Total> totals = new ArrayList<>();
        evidence.values().removeIf(one -> {
            // If it lapsed, another pod would repeat the check, which is harmless but wasteful.
            lease.take(LEASE, LEASE_MS);
            try {
                totals.addAll(LostTotals.read(redis, one.partition()));
                return false;
            } catch (CompletionException e) {
                LOG.debugf("The totals of partition %s could not be read: %s", one.partition(),
                        e.getMessage());
                return true;
            }
        });
        return totals;
    }

    private void judge(Connection connection, CheckEpoch check, Collection<Partition> asked,
            Map<Integer, Evidence> evidence, Set<Integer> lacking,
            List<LostTotals.Total> totals, List<Lost> lost) throws SQLException {
        LedgerState ledgerState = check.ledgerState();
        Map<Integer, String> behind = new TreeMap<>();
        Map<Integer, Long> stored = LossRows.lastSeqs(connection);
        int epoch = check.epoch();
        for (Evidence one : evidence.values()) {
            int partition = one.partition().index();
            long seq = stored.getOrDefault(partition, 0L);
            if (one.seq() > seq) {
                behind.put(partition, "it had number " + one.seq() + " and has " + seq);
            } else if (check.isLost(partition)) {
                behind.put(partition, "it was in epoch " + check.known().get(partition));
            }
            epoch = Math.max(epoch, one.epoch() > check.epoch() ? one.epoch() + 1 : 0);
        }
        lacking.stream().filter(evidence::containsKey).forEach(partition -> behind.putIfAbsent(
                partition, "a step that was reported to a client is missing"));
        LostTotals.raise(connection, ledgerState, totals).forEach((partition, total) ->
                behind.putIfAbsent(partition, "a later total is known: " + total.total() + " "
                        + total.sku() + " of " + total.sale()));
        lost.forEach(offer -> behind.putIfAbsent(offer.partition().index(),
                offer.id() + " is missing, which was prepared"));
        Set<Integer> unread = new HashSet<>(asked.stream().map(Partition::index).toList());
        unread.removeAll(evidence.keySet());
        List<Integer> sound = new ArrayList<>(evidence.keySet());
        sound.removeAll(behind.keySet());
        SOUND.update(connection, SqlArray.integers(sound));
        UNREAD.update(connection, SqlArray.integers(unread));
        if (!ledgerState.checked()) {
            CHECKED.update(connection, epoch, epoch, ledgerState.server(), ledgerState.server());
            LOG.infof("PostgreSQL was compared with Redis: epoch %d, %d partitions are behind, %d "
                    + "did not answer", epoch, behind.size(), unread.size());
        } else if (epoch > ledgerState.epoch()) {
            RAISED.update(connection, epoch, epoch, epoch);
            LOG.infof("The ledger continues in epoch %d, because Redis knew a later one", epoch);
        }
        if (!behind.isEmpty()) {
            note(connection, ledgerState, behind, evidence);
        }
    }

    private static void note(Connection connection, LedgerState ledgerState,
            Map<Integer, String> behind, Map<Integer, Evidence> evidence) throws SQLException {
        Map<Integer, Long> had = new HashMap<>();
        behind.keySet().forEach(partition -> had.put(partition,
                evidence.containsKey(partition) ? evidence.get(partition).seq() : 0L));
        RefillRows.beginBehind(connection, had);
        AuditRows.insert(connection, ledgerState, UUID.randomUUID(), ACTOR, "ledger.behind",
                "ledger", null, behind, null);
        LOG.errorf("The ledger has lost commits that Redis knows of. In these partitions nothing "
                + "expires or is credited, refused or repaired until they are refilled, and new "
                + "orders wait, also in partitions that share a sale with one: %s", behind);
    }
}
