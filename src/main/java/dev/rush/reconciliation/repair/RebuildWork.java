package dev.rush.reconciliation.repair;

import dev.rush.redis.Shards;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * A sale while it is rebuilt.
 *
 * @param counted by shard and sku, including items that the ledger no longer lists
 */
record RebuildWork(String sale, int month, Shards shards, RebuiltSale known,
        List<Map<String, Counted>> counted) {

    RebuildWork(String sale, int month, Shards shards, RebuiltSale known) {
        this(sale, month, shards, known, new ArrayList<>());
        shards.partitions().forEach(shard -> counted.add(new HashMap<>()));
    }

    /** Units of one item in one shard. */
    static final class Counted {
        long held;
        long rejected;
        long credited;
    }

    Counted counted(int shard, String sku) {
        return counted.get(shard).computeIfAbsent(sku, first -> new Counted());
    }

    /** The units of an item in all shards. */
    long sum(String sku, ToLongFunction<Counted> units) {
        return IntStream.range(0, counted.size())
                .mapToLong(shard -> units.applyAsLong(counted(shard, sku))).sum();
    }
}
