package dev.rush.sale;

import static dev.rush.ledger.LedgerProblems.begun;

import dev.rush.http.Problem;
import dev.rush.http.Word;
import dev.rush.ledger.Actor;
import dev.rush.ledger.Ledger;
import dev.rush.offer.Steering;
import dev.rush.order.StockReturned;
import dev.rush.redis.Change;
import dev.rush.redis.Futures;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Shards;
import dev.rush.sale.shard.ShardScripts;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletableFuture;

/** Steering sales, and forgetting what this pod holds of one that has changed. */
@Singleton
public class Sales {

    private final SaleViews views;
    private final SoldOut soldOut;
    private final Steering steering;
    private final Ledger ledger;

    @Inject
    Sales(SaleViews views, SoldOut soldOut, Steering steering, Ledger ledger) {
        this.views = views;
        this.soldOut = soldOut;
        this.steering = steering;
        this.ledger = ledger;
    }

    /** Units are back: what this pod holds of the sale is old. */
    void returned(@Observes StockReturned event) {
        views.forget(event.sale());
        soldOut.forget(event.sale());
    }

    /**
     * Pauses, resumes or closes a sale: the first shard, then the others. Where that is cut off in
     * between, the others follow the first by themselves ({@link ShardKeeper}).
     *
     * @return null when done, else why not
     */
    public CompletableFuture<Problem> steer(
            String sale, Steering.Action action, Actor actor) {
        return views.shards(sale).thenCompose(shards -> steer(sale, shards, action, actor))
                .thenApply(result -> {
                    views.forget(sale);
                    soldOut.forget(sale);
                    return result.problem(action, Word.UNKNOWN_SALE, () -> views.absence(sale));
                });
    }

    private CompletableFuture<Steering.Result> steer(
            String sale, Shards shards, Steering.Action action, Actor actor) {
        Change change = ledger.change("sale", sale, actor);
        Keys conf = shards.first().keys().sale(sale, "conf");
        if (!shards.isSplit()) {
            return steering.steer(conf, action, Word.UNKNOWN_SALE, change);
        }
        return steering.decide(
                conf, ShardScripts.controlNote(sale), action, Word.UNKNOWN_SALE, change)
                .thenCompose(result -> result instanceof Steering.Result.Done done
                        ? begun(follow(sale, shards, action, done.version())
                                .thenApply(followed -> result))
                        : CompletableFuture.completedFuture(result));
    }

    /** Has the other shards do as the first did under this version, then forgets its note. */
    CompletableFuture<Void> follow(
            String sale, Shards shards, Steering.Action action, String version) {
        return Futures.together(shards.partitions().stream().skip(1).map(shard ->
                steering.follow(shard.keys().sale(sale, "conf"), action, version,
                        Word.UNKNOWN_SALE)).toList())
                // Where a shard has followed a later change, that one's note stays to be judged.
                .thenCompose(followed -> followed.contains(false)
                        ? CompletableFuture.completedFuture(null)
                        : followed(sale, shards, version));
    }

    /** Forgets that shards have to follow a change, unless a later one was noted. */
    CompletableFuture<Void> followed(String sale, Shards shards, String version) {
        return steering.followed(shards.first(), ShardScripts.controlNote(sale), version);
    }
}
