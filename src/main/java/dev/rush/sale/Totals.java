package dev.rush.sale;

import static dev.rush.order.LedgerProblems.begun;

import dev.rush.RushConfig;
import dev.rush.http.Problem;
import dev.rush.http.Word;
import dev.rush.order.Ledger;
import dev.rush.order.SaleLedger;
import dev.rush.redis.Change;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.sale.shard.Borrowed;
import dev.rush.sale.shard.Borrowing;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Raising and lowering an item's total. The total in Redis is never above the ledger's: a raise
 * begins there, a lowering ends there. Of a sale in shards the first takes the whole change in one
 * step, after the units that it lacks for a lowering were brought there.
 */
@Singleton
class Totals {

    private final RedisCommands redis;
    private final SaleViews views;
    private final SoldOut soldOut;
    private final Borrowing borrowing;
    private final Ledger ledger;
    private final SaleLedger saleLedger;
    private final long deadlineNanos;

    @Inject
    Totals(RedisCommands redis, SaleViews views, SoldOut soldOut, Borrowing borrowing,
            Ledger ledger, SaleLedger saleLedger, RushConfig config) {
        this.redis = redis;
        this.views = views;
        this.soldOut = soldOut;
        this.borrowing = borrowing;
        this.ledger = ledger;
        this.saleLedger = saleLedger;
        this.deadlineNanos = config.deadline().toNanos();
    }

    /** Raises or lowers an item's total. Null when done, else why not. */
    CompletableFuture<Problem> change(String sale, String sku, long total) {
        if (!ledger.isWanted()) {
            return inRedis(sale, sku, total, 0);
        }
        return saleLedger.changeTotal(sale, sku, total).thenCompose(change -> {
            if (!change.found()) {
                return views.fresh(sale).thenApply(view -> view == null
                        ? Problem.of(views.absence(sale)) : unknownItem(sku));
            }
            CompletableFuture<Problem> inRedis = inRedis(sale, sku, total, change.version());
            return !change.lower() ? begun(inRedis)
                    : inRedis.thenCompose(problem -> problem != null
                            ? CompletableFuture.completedFuture(problem)
                            : begun(lowered(sale, sku, total, change.version())));
        });
    }

    private CompletableFuture<Problem> lowered(String sale, String sku, long total, long version) {
        return saleLedger.lowered(sale, sku, total, version).thenApply(done -> done ? null
                : Problem.of(Word.BELOW_ORDERED, "The ledger has more units sold already.",
                        Map.of("sku", sku)));
    }

    private CompletableFuture<Problem> inRedis(String sale, String sku, long total, long version) {
        long deadline = System.nanoTime() + deadlineNanos;
        return views.shards(sale)
                .thenCompose(shards -> inShards(sale, shards, sku, total, version, deadline))
                .thenApply(problem -> {
                    views.forget(sale);
                    soldOut.forget(sale);
                    return problem;
                });
    }

    private CompletableFuture<Problem> inShards(String sale, Shards shards, String sku, long total,
            long version, long deadline) {
        return redis.change(SaleScripts.TOTAL, shards.first().keys().sale(sale, "conf", "stock"),
                Change.NONE.args(sku, Long.toString(total), Long.toString(version)))
                .thenCompose(reply -> {
                    String[] words = reply.text().split(" ");
                    if (!words[0].equals("below-ordered") || !shards.isSplit()) {
                        return CompletableFuture.completedFuture(problem(sale, words));
                    }
                    long needed = Long.parseLong(words[3]);
                    return borrowing.borrow(sale, shards, 0, Map.of(sku, needed), deadline)
                            .thenCompose(borrowed -> borrowed instanceof Borrowed.Brought
                                    ? inShards(sale, shards, sku, total, version, deadline)
                                    : CompletableFuture.completedFuture(
                                            problem(borrowed, sku, total + needed)));
                });
    }

    /** Why all shards together, which have so many units, cannot give up what is needed. */
    private static Problem problem(Borrowed borrowed, String sku, long whole) {
        return borrowed instanceof Borrowed.SoldOut ? belowOrdered(sku, whole)
                : borrowed instanceof Borrowed.Insufficient few
                        ? belowOrdered(sku, whole - few.left())
                : Problem.of(borrowed instanceof Borrowed.NotLoaded
                        ? Word.NOT_LOADED : Word.UNAVAILABLE);
    }

    private static Problem belowOrdered(String sku, long ordered) {
        return Problem.of(Word.BELOW_ORDERED, ordered + " units are ordered already.",
                Map.of("sku", sku, "ordered", ordered));
    }

    private Problem problem(String sale, String[] words) {
        return switch (words[0]) {
            case "done", "overtaken" -> null;
            case "below-ordered" -> belowOrdered(words[1], Long.parseLong(words[2]));
            case "unknown-item" -> unknownItem(words[1]);
            case "unknown-sale" -> Problem.of(views.absence(sale));
            default -> Problem.of(Word.of(words[0]));
        };
    }

    private static Problem unknownItem(String sku) {
        return Problem.of(Word.UNKNOWN_ITEM, Word.UNKNOWN_ITEM.title() + ".", Map.of("sku", sku));
    }
}
