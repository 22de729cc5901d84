package dev.rush.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.zip.CRC32;

/**
 * The partitions of a sale's shards. All data of one user in a sale is in that user's home shard. A
 * sale that is not split has one shard.
 */
public record Shards(List<Partition> partitions) {

    /** The number of shards. */
    public int count() {
        return partitions.size();
    }

    /** Whether there is more than one. */
    public boolean isSplit() {
        return partitions.size() > 1;
    }

    /** The shard with the sale's terms, state and whole totals. */
    public Partition first() {
        return partitions.get(0);
    }

    /** The partition of a shard, by its number from 0. */
    public Partition get(int shard) {
        return partitions.get(shard);
    }

    /** Makes one call to each shard, concurrently. */
    public <T> CompletableFuture<List<T>> each(Function<Partition, CompletableFuture<T>> call) {
        return Futures.together(partitions.stream().map(call).toList());
    }

    /** The number of a user's home shard. It never changes. */
    public int home(String user) {
        if (partitions.size() == 1) {
            return 0;
        }
        CRC32 crc = new CRC32();
        crc.update(user.getBytes(StandardCharsets.UTF_8));
        return (int) (crc.getValue() % partitions.size());
    }

    /** The partition of a user's home shard. */
    public Partition of(String user) {
        return partitions.get(home(user));
    }
}
