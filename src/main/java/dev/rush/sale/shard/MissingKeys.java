package dev.rush.sale.shard;

import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Reply;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Ensures that all keys of a sale exist. While a slot moves, a Redis Cluster runs a script only if
 * one node has all the keys that the script names; a sale that lacks one, for example because there
 * was no purchase yet, would be unavailable during the move.
 */
@Singleton
public class MissingKeys {

    private final RedisCommands redis;

    @Inject
    MissingKeys(RedisCommands redis) {
        this.redis = redis;
    }

    /** Creates missing keys in every shard of a sale that has its terms. */
    public CompletableFuture<Void> ensure(String sale, Shards shards) {
        return shards.each(shard -> ensure(sale, shard)).thenAccept(words -> { });
    }

    private CompletableFuture<String> ensure(String sale, Partition shard) {
        Keys keys = shard.keys().sale(sale, "conf", "buyers", "transfers", "received")
                .orders().sequence().unfinished().sale(sale, "stock");
        return redis.script(ShardScripts.ENSURE, keys, List.of()).thenApply(Reply::text);
    }
}
