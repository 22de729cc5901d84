package dev.rush.books;

import dev.rush.order.SaleShards;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Reads what Redis has of a sale. Shards lie in different slots and are not read at one instant, so
 * they are read again until nothing has moved from one to another in between: then there was one
 * instant at which all transfers were as they were read.
 */
@Singleton
class SaleSnapshots {

    private static final int READS_MAX = 6;

    private final SaleShards saleShards;
    private final RedisCommands redis;

    @Inject
    SaleSnapshots(SaleShards saleShards, RedisCommands redis) {
        this.saleShards = saleShards;
        this.redis = redis;
    }

    /** What Redis has of a sale now. */
    SaleSnapshot of(String sale) {
        Shards shards = saleShards.read(sale);
        SaleSnapshot last = read(sale, shards, Set.of());
        for (int read = 1; shards.isSplit() && read < READS_MAX; read++) {
            SaleSnapshot next = read(sale, shards, last.transfers());
            if (next.movedNothingSince(last)) {
                return next.asStill();
            }
            last = next;
        }
        return shards.isSplit() ? last : last.asStill();
    }

    private SaleSnapshot read(String sale, Shards shards, Set<String> transfers) {
        long nanos = System.nanoTime();
        return new SaleSnapshot(
                shards.each(shard -> read(sale, shard, transfers)).join(), false, nanos);
    }

    private CompletableFuture<SaleSnapshot.Shard> read(
            String sale, Partition partition, Set<String> transfers) {
        Keys keys = partition.keys().sale(sale, "conf", "stock", "buyers").orders().sequence()
                .sale(sale, "transfers", "received");
        return redis.script(BookScripts.SNAPSHOT, keys, List.copyOf(transfers))
                .thenApply(reply -> new SaleSnapshot.Shard(partition, reply.at(0).number(),
                        reply.at(1).number(), reply.at(2).text(), reply.at(3).number(),
                        reply.at(4).text(), reply.at(5).pairs(), reply.at(6).pairs(),
                        Set.copyOf(reply.at(7).texts())));
    }
}
