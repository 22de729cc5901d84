package dev.rush.rain;

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

/** One view per rain and pod. */
@Singleton
class RainViews extends Views<RainView> {

    @Inject
    RainViews(RedisCommands redis, Partitions partitions, Json json, RushConfig config) {
        super(config, rain -> read(rain, redis, partitions.of(rain), json));
    }

    private static CompletableFuture<RainView> read(
            String rain, RedisCommands redis, Partition partition, Json json) {
        return redis.script(RainScripts.READ, partition,
                RainScripts.keys(partition, rain, "conf", "envelopes"), List.of())
                .thenApply(reply -> RainView.of(rain, reply, json));
    }
}
