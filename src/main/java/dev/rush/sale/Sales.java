package dev.rush.sale;

import static dev.rush.ledger.LedgerProblems.begun;

import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.ledger.Actor;
import dev.rush.ledger.Ledger;
import dev.rush.offer.OfferControl;
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

/** Controls sales, and invalidates this pod's caches of changed ones. */
@Singleton
public class Sales {

    private final SaleViewCache views;
    private final SoldOutCache soldOut;
    private final OfferControl control;
    private final Ledger ledger;

    @Inject
    Sales(SaleViewCache views, SoldOutCache soldOut, OfferControl control, Ledger ledger) {
        this.views = views;
        this.soldOut = soldOut;
        this.control = control;
        this.ledger = ledger;
    }

    /** Drops this pod's caches of a sale to which units were returned. */
    void returned(@Observes StockReturned event) {
        views.forget(event.sale());
        soldOut.forget(event.sale());
    }

    /**
     * Pauses, resumes or closes a sale: the first shard, then the others. If this is interrupted,
     * {@link ShardKeeper} brings the others in line with the first.
     *
     * @return null on success, else the refusal
     */
    public CompletableFuture<Problem> control(
            String sale, OfferControl.Action action, Actor actor) {
        return views.shards(sale).thenCompose(shards -> control(sale, shards, action, actor))
                .thenApply(result -> {
                    views.forget(sale);
                    soldOut.forget(sale);
                    return result.problem(action, OutcomeCode.UNKNOWN_SALE,
                            () -> views.absence(sale));
                });
    }

    private CompletableFuture<OfferControl.Result> control(
            String sale, Shards shards, OfferControl.Action action, Actor actor) {
        Change change = ledger.change("sale", sale, actor);
        Keys conf = shards.first().keys().sale(sale, "conf");
        if (!shards.isSplit()) {
            return control.apply(conf, action, OutcomeCode.UNKNOWN_SALE, change);
        }
        return control.decide(
                conf, ShardScripts.controlNote(sale), action, OutcomeCode.UNKNOWN_SALE, change)
                .thenCompose(result -> result instanceof OfferControl.Result.Done done
                        ? begun(follow(sale, shards, action, done.version())
                                .thenApply(followed -> result))
                        : CompletableFuture.completedFuture(result));
    }

    /** Applies the first shard's change of this version to the others, then removes its note. */
    CompletableFuture<Void> follow(
            String sale, Shards shards, OfferControl.Action action, String version) {
        return Futures.together(shards.partitions().stream().skip(1).map(shard ->
                control.follow(shard.keys().sale(sale, "conf"), action, version,
                        OutcomeCode.UNKNOWN_SALE)).toList())
                // If a shard has followed a later change, that change's note remains.
                .thenCompose(followed -> followed.contains(false)
                        ? CompletableFuture.completedFuture(null)
                        : followed(sale, shards, version));
    }

    /** Removes the note of a change that shards have to follow, unless a later one was noted. */
    CompletableFuture<Void> followed(String sale, Shards shards, String version) {
        return control.followed(shards.first(), ShardScripts.controlNote(sale), version);
    }
}
