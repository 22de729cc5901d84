package dev.rush.rain;

import dev.rush.RushConfig;
import dev.rush.http.Json;
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

/** One view per rain and pod. */
@Singleton
class RainViews extends Views<RainView> {

    private final KnownIds known;

    @Inject
    RainViews(RedisCommands redis, Partitions partitions, Json json, KnownIds known,
            RushConfig config) {
        super(config, rain -> read(rain, redis, partitions.of(rain), json));
        this.known = known;
    }

    /** Why Redis has no such rain: it never was, or Redis lost what the ledger knows. */
    Word absence(String rain) {
        return known.hasRain(rain) ? Word.NOT_LOADED : Word.UNKNOWN_RAIN;
    }

    private static CompletableFuture<RainView> read(
            String rain, RedisCommands redis, Partition partition, Json json) {
        return redis.script(RainScripts.READ, partition,
                RainScripts.keys(partition, rain, "conf", "envelopes"), List.of())
                .thenApply(reply -> RainView.of(rain, reply, json));
    }
}
