package dev.rush.books;

import dev.rush.RushConfig;
import dev.rush.order.Ledger;
import dev.rush.order.LedgerFailure;
import dev.rush.order.SaleShards;
import dev.rush.order.Ticker;
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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jboss.logging.Logger;

/**
 * Removes the keys of a sale or rain from Redis, all at once, when it has been over for
 * {@code rush.retention} and nothing of it is open: nothing reserved, owed, parked, waiting or
 * lost, and its books balanced. The ledger notes it first, so that pods know why Redis has no such
 * sale before it has none; and since it is over, nothing of it can begin anew meanwhile. The orders
 * stay in the ledger. One pod does this at a time.
 */
@Singleton
class Retirement {

    private static final Logger LOG = Logger.getLogger(Retirement.class);
    private static final String DUTY = "retirement";
    private static final long PAUSE_MAX_MS = 60_000;
    private static final long PAUSE_MIN_MS = 500;

    private final Ledger ledger;
    private final Books books;
    private final RainBooks rainBooks;
    private final RedisCommands redis;
    private final Partitions partitions;
    private final SaleShards saleShards;
    private final Duties duties;
    private final long retentionMs;
    private final long pauseMs;
    private final boolean active;
    private final Ticker ticker;
    /** Whether the next round is left to another pod. */
    private boolean passesNext;
    private final Failures failures = new Failures(LOG::warn,
            "%d more that are over cannot be removed from Redis now, such as %s");
    /** What was logged to stay because its books do not balance. */
    private final Set<String> unbalanced = new HashSet<>();

    @Inject
    Retirement(Ledger ledger, Books books, RainBooks rainBooks, RedisCommands redis,
            Partitions partitions, SaleShards saleShards, Duties duties, RushConfig config) {
        this.ledger = ledger;
        this.books = books;
        this.rainBooks = rainBooks;
        this.redis = redis;
        this.partitions = partitions;
        this.saleShards = saleShards;
        this.duties = duties;
        this.retentionMs = config.retention().toMillis();
        this.pauseMs = Math.max(PAUSE_MIN_MS, Math.min(PAUSE_MAX_MS, retentionMs / 4));
        this.active = config.orders().sink().stores() && config.role().writes();
        this.ticker = new Ticker(DUTY, pauseMs, this::round);
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            ticker.start();
        }
    }

    void stop(@Observes ShutdownEvent event) {
        ticker.close();
    }

    /** Removes what was noted, and notes what else is over. */
    boolean round() {
        boolean passes = passesNext;
        passesNext = false;
        if (passes || !duties.take(DUTY, 3 * pauseMs)) {
            return false;
        }
        for (RetirementRows.Kind kind : RetirementRows.Kind.values()) {
            for (String id : ledger.transact(connection ->
                    RetirementRows.noted(connection, kind))) {
                tryToRemove(kind, id);
                duties.take(DUTY, 3 * pauseMs);
            }
            for (String id : ledger.transact(connection ->
                    RetirementRows.over(connection, kind, retentionMs))) {
                if (isBalanced(kind, id)) {
                    ledger.transact(connection -> RetirementRows.note(connection, kind, id));
                }
                duties.take(DUTY, 3 * pauseMs);
            }
        }
        failures.tell();
        passesNext = duties.leave(DUTY);
        return false;
    }

    private void tryToRemove(RetirementRows.Kind kind, String id) {
        try {
            Shards shards = kind == RetirementRows.Kind.SALE
                    ? saleShards.read(id) : partitions.shards(id, 1);
            Set<Integer> refused = duties.refused();
            if (shards.partitions().stream().noneMatch(in -> refused.contains(in.index()))) {
                remove(kind, id, shards);
            }
        } catch (CompletionException | LedgerFailure e) {
            failures.note(kind.text() + " " + id, e);
        }
    }

    private boolean isBalanced(RetirementRows.Kind kind, String id) {
        try {
            boolean balanced = kind == RetirementRows.Kind.SALE
                    ? isBalanced(books.of(id)) : isBalanced(rainBooks.of(id));
            if (!balanced && unbalanced.add(kind + id)) {
                LOG.warnf("The %s %s is over, but stays in Redis until its books balance and "
                        + "nothing of it waits", kind.text(), id);
            }
            return balanced;
        } catch (CompletionException | LedgerFailure e) {
            LOG.debugf("The books of %s %s cannot be read now: %s", kind.text(), id,
                    e.getMessage());
            return false;
        }
    }

    private static boolean isBalanced(SaleBooks books) {
        return books != null && books.verdict() == Verdict.BALANCED && books.items().stream()
                .allMatch(item -> item.inStream() == 0
                        && item.creditPending() == 0 && item.inTransfer() == 0);
    }

    private static boolean isBalanced(RainBooks.View books) {
        return books != null && books.verdict() == Verdict.BALANCED && books.inStream() == 0;
    }

    private void remove(RetirementRows.Kind kind, String id, Shards shards) {
        List<String> words = shards.each(shard -> remove(kind, id, shard)).join();
        boolean done = words.stream().allMatch("retired"::equals);
        if (!done && (words.contains("retired") || words.contains("waiting"))) {
            LOG.debugf("The rest of %s %s is removed in the next round", kind.text(), id);
            return;
        }
        ledger.transact(connection -> RetirementRows.end(connection, kind, id, done));
        if (done) {
            LOG.infof("Redis keeps %s %s no longer", kind.text(), id);
        } else {
            LOG.warnf("Redis keeps %s %s, which is %s there", kind.text(), id, words);
        }
    }

    private CompletableFuture<String> remove(
            RetirementRows.Kind kind, String id, Partition partition) {
        Keys none = partition.keys();
        Keys keys = kind == RetirementRows.Kind.SALE
                ? none.sale(id, "conf").named("sales").orders().sequence()
                        .sale(id, "stock", "buyers", "transfers", "received")
                : none.rain(id, "conf").named("rains").orders().sequence()
                        .rain(id, "draft", "envelopes", "takers", "board", "sums");
        return redis.script(BookScripts.RETIRE, keys, List.of(id))
                .thenApply(Reply::text);
    }
}
