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
 * Sees to it that all keys of a sale exist. A Redis Cluster runs a script while the slot of its
 * keys moves only if one node has all the keys that the script names; so a sale that lacks one,
 * say because nobody has bought yet, could not be sold for as long as the move takes.
 */
@Singleton
public class MissingKeys {

    private final RedisCommands redis;

    @Inject
    MissingKeys(RedisCommands redis) {
        this.redis = redis;
    }

    /** Makes what does not exist yet in any shard of a sale whose terms are there. */
    public CompletableFuture<Void> ensure(String sale, Shards shards) {
        return shards.each(shard -> ensure(sale, shard)).thenAccept(words -> { });
    }

    private CompletableFuture<String> ensure(String sale, Partition shard) {
        Keys keys = shard.keys().sale(sale, "conf", "buyers", "transfers", "received")
                .orders().sequence().unfinished().sale(sale, "stock");
        return redis.script(ShardScripts.ENSURE, keys, List.of()).thenApply(Reply::text);
    }
}
