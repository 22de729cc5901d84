package dev.rush.reconciliation.retention;

import dev.rush.RushConfig;
import dev.rush.http.ProblemException;
import dev.rush.ledger.Actor;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.KeptLease;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.Months;
import dev.rush.ledger.OfferCache;
import dev.rush.ledger.PeriodicTask;
import dev.rush.ledger.SoundLedger;
import dev.rush.reconciliation.report.Books;
import dev.rush.reconciliation.report.Failures;
import dev.rush.reconciliation.report.RainBooks;
import dev.rush.reconciliation.report.Recounts;
import dev.rush.reconciliation.retention.RetentionRows.Kind;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Partitions;
import dev.rush.redis.Reply;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jboss.logging.Logger;

/**
 * Removes the keys of a sale or rain from Redis, all at once, when it has been over for {@code
 * rush.retention} and nothing of it is open: nothing reserved, owed, parked, queued or lost, its
 * books balanced, and its sums equal to its rows. The ledger records it first, so that pods know
 * the reason before Redis lacks the sale; and because it is over, nothing of it can begin
 * meanwhile. The orders stay in the ledger. It also creates the tables of coming months, and
 * deletes replayed dead letters after 30 days. One pod does this at a time.
 */
@Singleton
class RetentionJob {

    private static final Logger LOG = Logger.getLogger(RetentionJob.class);
    private static final Actor ACTOR = Actor.service("retention");
    private static final String LEASE = "retirement";
    private static final long PAUSE_MAX_MS = 60_000;
    private static final long PAUSE_MIN_MS = 500;

    private final Ledger ledger;
    private final Books books;
    private final RainBooks rainBooks;
    private final Recounts recounts;
    private final RedisCommands redis;
    private final Partitions partitions;
    private final OfferCache offers;
    private final LeaderLease lease;
    private final long retentionMs;
    private final long pauseMs;
    private final boolean active;
    private final PeriodicTask task;
    /** Whether the next round is left to another pod. */
    private boolean skipsNext;
    private final Failures failures = new Failures(LOG::warn,
            "%d more sales and rains cannot be removed from Redis now, for example %s");

    @Inject
    RetentionJob(Ledger ledger, Books books, RainBooks rainBooks, Recounts recounts,
            RedisCommands redis, Partitions partitions, OfferCache offers, LeaderLease lease,
            RushConfig config) {
        this.ledger = ledger;
        this.books = books;
        this.rainBooks = rainBooks;
        this.recounts = recounts;
        this.redis = redis;
        this.partitions = partitions;
        this.offers = offers;
        this.lease = lease;
        this.retentionMs = config.retention().toMillis();
        this.pauseMs = Math.max(PAUSE_MIN_MS, Math.min(PAUSE_MAX_MS, retentionMs / 4));
        this.active = config.orders().sink().stores() && config.role().writes();
        this.task = new PeriodicTask(LEASE, pauseMs, this::round);
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            task.start();
        }
    }

    void stop(@Observes ShutdownEvent event) {
        task.close();
    }

    /** Removes what is retiring, and begins to retire what is over. */
    boolean round() {
        boolean skips = skipsNext;
        skipsNext = false;
        // A recount may take longer than any lease duration chosen beforehand.
        try (KeptLease held = skips ? null : KeptLease.take(lease, LEASE, 3 * pauseMs)) {
            if (held != null) {
                work();
                skipsNext = !lease.refused().isEmpty();
                if (!skipsNext) {
                    held.lapse();
                }
            }
        }
        return false;
    }

    private void work() {
        ledger.transact((connection, ledgerState) -> {
            RetentionRows.forgetReplayed(connection);
            return Months.ensure(connection);
        });
        for (Kind kind : Kind.values()) {
            for (String id : ledger.transact((connection, ledgerState) ->
                    RetentionRows.retiring(connection, kind))) {
                tryTo(kind, id, () -> remove(kind, id));
            }
            for (String id : ledger.transact((connection, ledgerState) ->
                    RetentionRows.retirable(connection, kind, retentionMs))) {
                tryTo(kind, id, () -> begin(kind, id));
            }
        }
        failures.endRound();
    }

    private void tryTo(Kind kind, String id, Runnable work) {
        try {
            Set<Integer> refused = lease.refused();
            if (shards(kind, id).partitions().stream()
                    .noneMatch(in -> refused.contains(in.index()))) {
                work.run();
            }
        } catch (CompletionException | LedgerFailure | ProblemException e) {
            failures.note(kind.text() + " " + id, e);
        }
    }

    private Shards shards(Kind kind, String id) {
        return kind == Kind.SALE ? offers.shards(offers.readSale(id), id)
                : partitions.shards(id, 1);
    }

    private void begin(Kind kind, String id) {
        // A lost commit could be an open order.
        SoundLedger sound = SoundLedger.begin(ledger, shards(kind, id));
        boolean isSale = kind == Kind.SALE;
        boolean isSettled = isSale ? Settled.by(books.of(id)) : Settled.by(rainBooks.of(id));
        if (!isSettled || recounts.cachedDrift(id, isSale) != 0) {
            failures.note(kind.text() + " " + id, new IllegalStateException(
                    "its books do not balance yet, or something of it waits"));
            return;
        }
        Reply listed = redis.command("ZSCORE",
                partitions.of(id).keys().named(kind.text() + "s"), id).join();
        Long preparedAtMs = listed.isNull() ? null : (long) Double.parseDouble(listed.word());
        ledger.transact((connection, ledgerState) -> {
            sound.require(connection, ledgerState);
            return RetentionRows.begin(connection, kind, id, preparedAtMs);
        });
    }

    private void remove(Kind kind, String id) {
        List<String> words = shards(kind, id).each(shard -> remove(kind, id, shard)).join();
        boolean done = words.stream().allMatch("retired"::equals);
        if (!done && (words.contains("retired") || words.contains("waiting"))) {
            LOG.debugf("The rest of %s %s is removed in the next round", kind.text(), id);
            return;
        }
        ledger.transactOrNull((connection, ledgerState) -> {
            if (RetentionRows.end(connection, kind, id, done) && done) {
                AuditRows.insert(connection, ledgerState, UUID.randomUUID(), ACTOR,
                        kind.text() + ".retired", id, null, null, null);
            }
            return null;
        });
        if (done) {
            LOG.infof("Removed %s %s from Redis", kind.text(), id);
        } else {
            LOG.warnf("The %s %s stays in Redis, because its shards answered %s", kind.text(),
                    id, words);
        }
    }

    private CompletableFuture<String> remove(Kind kind, String id, Partition partition) {
        Keys none = partition.keys();
        Keys keys = kind == Kind.SALE
                ? none.sale(id, "conf").named("sales").orders().sequence()
                        .sale(id, "stock", "buyers", "transfers", "received")
                : none.rain(id, "conf").named("rains").orders().sequence()
                        .rain(id, "draft", "envelopes", "takers", "board", "sums");
        return redis.script(RetentionScripts.RETIRE, keys, List.of(id)).thenApply(Reply::text);
    }
}
