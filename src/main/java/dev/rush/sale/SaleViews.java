package dev.rush.sale;

import dev.rush.RushConfig;
import dev.rush.http.Json;
import dev.rush.http.Views;
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

    @Inject
    SaleViews(RedisCommands redis, Partitions partitions, Json json, RushConfig config) {
        super(config, sale -> read(sale, redis, partitions.of(sale), json));
    }

    private static CompletableFuture<SaleView> read(
            String sale, RedisCommands redis, Partition partition, Json json) {
        return redis.script(SaleScripts.READ, partition,
                List.of(SaleScripts.key(partition, sale, "conf"),
                        SaleScripts.key(partition, sale, "stock")), List.of())
                .thenApply(reply -> SaleView.of(sale, reply, json));
    }
}
