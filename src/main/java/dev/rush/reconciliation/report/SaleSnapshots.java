package dev.rush.reconciliation.report;

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
 * Reads a sale from Redis. Shards are in different slots and are not read at one instant, so they
 * are read again until nothing has moved between them. Then there was one instant at which all
 * transfers were as read; after six reads it gives up, and the snapshot is not consistent.
 */
@Singleton
class SaleSnapshots {

    private static final int READS_MAX = 6;

    private final RedisCommands redis;

    @Inject
    SaleSnapshots(RedisCommands redis) {
        this.redis = redis;
    }

    /** Reads a sale now. */
    CompletableFuture<SaleSnapshot> of(String sale, Shards shards) {
        CompletableFuture<SaleSnapshot> first = read(sale, shards, Set.of());
        return shards.isSplit() ? first.thenCompose(last -> untilConsistent(sale, shards, last, 1))
                : first.thenApply(SaleSnapshot::asConsistent);
    }

    private CompletableFuture<SaleSnapshot> untilConsistent(
            String sale, Shards shards, SaleSnapshot last, int reads) {
        return reads == READS_MAX ? CompletableFuture.completedFuture(last)
                : read(sale, shards, last.transfers()).thenCompose(next ->
                        next.movedNothingSince(last)
                                ? CompletableFuture.completedFuture(next.asConsistent())
                                : untilConsistent(sale, shards, next, reads + 1));
    }

    private CompletableFuture<SaleSnapshot> read(
            String sale, Shards shards, Set<String> transfers) {
        return shards.each(shard -> read(sale, shard, transfers))
                .thenApply(all -> new SaleSnapshot(all, false));
    }

    private CompletableFuture<SaleSnapshot.Shard> read(
            String sale, Partition partition, Set<String> transfers) {
        Keys keys = partition.keys().sale(sale, "conf", "stock", "buyers").orders().sequence()
                .sale(sale, "transfers", "received");
        return redis.script(ReportScripts.SNAPSHOT, keys, List.copyOf(transfers))
                .thenApply(reply -> new SaleSnapshot.Shard(partition, reply.at(0).number(),
                        reply.at(1).number(), reply.at(2).word(), reply.at(3).number(),
                        reply.at(4).word(), reply.at(5).pairs(), reply.at(6).pairs(),
                        Set.copyOf(reply.at(7).texts())));
    }
}
