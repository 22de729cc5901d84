package dev.rush.sale;

import dev.rush.RushConfig;
import dev.rush.http.Json;
import dev.rush.http.Problem;
import dev.rush.http.Views;
import dev.rush.http.Word;
import dev.rush.order.KnownIds;
import dev.rush.order.SaleLedger;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One view per sale and pod. */
@Singleton
class SaleViews extends Views<SaleView> {

    private final KnownIds known;

    @Inject
    SaleViews(RedisCommands redis, Partitions partitions, Json json, KnownIds known,
            SaleLedger ledger, RushConfig config) {
        super(config, sale -> read(sale, redis, partitions.of(sale), json)
                .thenCompose(view -> view != null || !known.isRetiredSale(sale)
                        ? CompletableFuture.completedFuture(view)
                        : kept(sale, ledger, json)));
        this.known = known;
    }

    /**
     * Why Redis has no such sale: it never was, Redis lost what the ledger knows, or it has been
     * over for so long that Redis keeps it no longer.
     */
    Word absence(String sale) {
        return known.isRetiredSale(sale) ? Word.CLOSED
                : known.hasSale(sale) ? Word.NOT_LOADED : Word.UNKNOWN_SALE;
    }

    private static CompletableFuture<SaleView> kept(String sale, SaleLedger ledger, Json json) {
        return ledger.kept(sale).thenApply(kept -> SaleView.of(
                sale, System.currentTimeMillis(), kept.conf(), kept.stock(), json));
    }

    /** What a reader is told instead of this view; null if the view serves. */
    Problem problem(String sale, SaleView view) {
        return view == null ? Problem.of(absence(sale))
                : view.loaded() ? null : Problem.of(Word.NOT_LOADED);
    }

    private static CompletableFuture<SaleView> read(
            String sale, RedisCommands redis, Partition partition, Json json) {
        return redis.script(SaleScripts.READ, partition,
                List.of(SaleScripts.key(partition, sale, "conf"),
                        SaleScripts.key(partition, sale, "stock")), List.of())
                .thenApply(reply -> SaleView.of(sale, reply, json));
    }
}
