package dev.rush.sale;

import dev.rush.RushConfig;
import dev.rush.http.Json;
import dev.rush.http.Problem;
import dev.rush.http.Views;
import dev.rush.http.Word;
import dev.rush.order.KnownIds;
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
            RushConfig config) {
        super(config, sale -> read(sale, redis, partitions.of(sale), json));
        this.known = known;
    }

    /** Why Redis has no such sale: it never was, or Redis lost what the ledger knows. */
    Word absence(String sale) {
        return known.hasSale(sale) ? Word.NOT_LOADED : Word.UNKNOWN_SALE;
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
