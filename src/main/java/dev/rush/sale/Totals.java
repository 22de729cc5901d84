package dev.rush.sale;

import static dev.rush.ledger.LedgerProblems.begun;

import dev.rush.RushConfig;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.ledger.Actor;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.SaleLedger;
import dev.rush.redis.Change;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.sale.shard.Borrowed;
import dev.rush.sale.shard.Borrowing;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Raises and lowers an item's total. The total in Redis is never above the ledger's: a raise begins
 * in the ledger, a lowering ends there. In a sale with shards, the first one takes the whole change
 * in one step; if it has too few free units for a lowering, it borrows them first.
 */
@Singleton
class Totals {

    private final RedisCommands redis;
    private final SaleViewCache views;
    private final SoldOutCache soldOut;
    private final Borrowing borrowing;
    private final Ledger ledger;
    private final SaleLedger saleLedger;
    private final long deadlineNanos;

    @Inject
    Totals(RedisCommands redis, SaleViewCache views, SoldOutCache soldOut, Borrowing borrowing,
            Ledger ledger, SaleLedger saleLedger, RushConfig config) {
        this.redis = redis;
        this.views = views;
        this.soldOut = soldOut;
        this.borrowing = borrowing;
        this.ledger = ledger;
        this.saleLedger = saleLedger;
        this.deadlineNanos = config.deadline().toNanos();
    }

    /** Raises or lowers an item's total. Completes with null on success, else with the refusal. */
    CompletableFuture<Problem> change(String sale, String sku, long total, Actor actor) {
        Change change = ledger.change("item", sale + "/" + sku, actor);
        if (!ledger.isConfigured()) {
            return inRedis(new Wanted(sale, sku, total, 0, change));
        }
        return saleLedger.beginTotal(sale, sku, total, actor).thenCompose(begun -> {
            if (begun == null) {
                return views.fresh(sale).thenApply(view ->
                        view == null || views.absence(sale) == OutcomeCode.CLOSED
                                ? Problem.of(views.absence(sale)) : unknownItem(sku));
            }
            CompletableFuture<Problem> inRedis =
                    inRedis(new Wanted(sale, sku, total, begun.version(), change));
            return !begun.lower() ? begun(inRedis)
                    : inRedis.thenCompose(problem -> problem != null
                            ? CompletableFuture.completedFuture(problem)
                            : begun(lowered(sale, sku, total, begun.version())));
        });
    }

    private CompletableFuture<Problem> lowered(String sale, String sku, long total, long version) {
        return saleLedger.endTotal(sale, sku, total, version).thenApply(done -> done ? null
                : Problem.of(OutcomeCode.BELOW_ORDERED, "The ledger has already sold more units.",
                        Map.of("sku", sku)));
    }

    /** The new total for Redis, with its version. */
    private record Wanted(String sale, String sku, long total, long version, Change change) {
    }

    private CompletableFuture<Problem> inRedis(Wanted wanted) {
        long deadline = System.nanoTime() + deadlineNanos;
        return views.shards(wanted.sale)
                .thenCompose(shards -> inShards(wanted, shards, deadline))
                .thenApply(problem -> {
                    views.forget(wanted.sale);
                    soldOut.forget(wanted.sale);
                    return problem;
                });
    }

    private CompletableFuture<Problem> inShards(Wanted wanted, Shards shards, long deadline) {
        String sale = wanted.sale;
        String sku = wanted.sku;
        return redis.change(SaleScripts.TOTAL,
                wanted.change.keys(shards.first().keys().sale(sale, "conf", "stock")),
                wanted.change.args(sku, Long.toString(wanted.total),
                        Long.toString(wanted.version)))
                .thenCompose(reply -> {
                    String[] words = reply.word().split(" ");
                    if (!words[0].equals("below-ordered") || !shards.isSplit()) {
                        return CompletableFuture.completedFuture(problem(sale, words));
                    }
                    long needed = Long.parseLong(words[3]);
                    return borrowing.borrow(sale, shards, 0, Map.of(sku, needed), deadline)
                            .thenCompose(borrowed -> borrowed instanceof Borrowed.Brought
                                    ? inShards(wanted, shards, deadline)
                                    : CompletableFuture.completedFuture(
                                            problem(borrowed, sku, wanted.total + needed)));
                });
    }

    /** The problem if all shards together have too few free units for a lowering. */
    private static Problem problem(Borrowed borrowed, String sku, long whole) {
        return borrowed instanceof Borrowed.SoldOut ? belowOrdered(sku, whole)
                : borrowed instanceof Borrowed.Insufficient few
                        ? belowOrdered(sku, whole - few.left())
                : Problem.of(borrowed instanceof Borrowed.NotLoaded
                        ? OutcomeCode.NOT_LOADED : OutcomeCode.UNAVAILABLE);
    }

    private static Problem belowOrdered(String sku, long ordered) {
        return Problem.of(OutcomeCode.BELOW_ORDERED, ordered + " units are already ordered.",
                Map.of("sku", sku, "ordered", ordered));
    }

    private @Nullable Problem problem(String sale, String[] words) {
        return switch (words[0]) {
            case "done", "overtaken" -> null;
            case "below-ordered" -> belowOrdered(words[1], Long.parseLong(words[2]));
            case "unknown-item" -> unknownItem(words[1]);
            case "unknown-sale" -> Problem.of(views.absence(sale));
            default -> Problem.of(OutcomeCode.of(words[0]));
        };
    }

    private static Problem unknownItem(String sku) {
        return Problem.of(OutcomeCode.UNKNOWN_ITEM, OutcomeCode.UNKNOWN_ITEM.title() + ".",
                Map.of("sku", sku));
    }
}
