package dev.rush.nemesis;

import dev.rush.nemesis.client.Offer;
import dev.rush.order.BuyerRecord;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.testing.RedisClusterNodes;
import dev.rush.testing.Resp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The only class of the nemesis that knows the layout of Redis: partitions, streams and buyer
 * records.
 */
public final class Layout {
    /** The pods' {@code rush.partitions}. */
    public static final int PARTITIONS = 64;

    private static final Partitions KEYSPACE = new Partitions(PARTITIONS);

    private Layout() {
    }

    /** Returns the partition of a user in an offer: the user's home shard. */
    public static int partition(Offer offer, String user) {
        return KEYSPACE.shards(offer.id(), offer.shards()).of(user).index();
    }

    /** Returns the partitions of an offer. */
    public static List<Integer> partitions(Offer offer) {
        return KEYSPACE.shards(offer.id(), offer.shards()).partitions().stream()
                .map(Partition::index).toList();
    }

    /** Returns the slot of a partition. */
    public static int slot(int partition) {
        return KEYSPACE.all().get(partition).slot();
    }

    /** Returns how many orders and grabs each partition's stream holds; none if it is empty. */
    public static Map<Integer, Long> waiting(RedisClusterNodes redis) {
        Map<Integer, Long> waiting = new TreeMap<>();
        for (Partition partition : KEYSPACE.all()) {
            try (Resp resp = redis.resp(partition.key("orders"))) {
                long entries = resp.number("XLEN", partition.key("orders"));
                if (entries > 0) {
                    waiting.put(partition.index(), entries);
                }
            }
        }
        return waiting;
    }

    /** Returns the units that Redis counts towards limits, by {@code user sku}. */
    public static Map<String, Long> taken(RedisClusterNodes redis, Offer sale) {
        Map<String, Long> taken = new HashMap<>();
        buyerRecords(redis, sale).forEach((user, lines) -> lines.stream()
                .filter(BuyerRecord.Line::isAccepted)
                .flatMap(line -> Stream.of(line.lines().split(",")))
                .map(line -> line.split(":")).forEach(line -> taken.merge(
                        user + " " + line[0], Long.parseLong(line[1]), Long::sum)));
        return taken;
    }

    /** Returns the lines of all buyer records of a sale, one line per order, by user. */
    public static Map<String, List<BuyerRecord.Line>> buyerRecords(
            RedisClusterNodes redis, Offer sale) {
        Map<String, List<BuyerRecord.Line>> records = new HashMap<>();
        for (Partition shard : KEYSPACE.shards(sale.id(), sale.shards()).partitions()) {
            String key = shard.key("sale:" + sale.id() + ":buyers");
            try (Resp resp = redis.resp(key)) {
                List<?> flat = resp.list("HGETALL", key);
                for (int i = 0; i < flat.size(); i += 2) {
                    records.computeIfAbsent((String) flat.get(i), user -> new ArrayList<>())
                            .addAll(BuyerRecord.lines((String) flat.get(i + 1)));
                }
            }
        }
        return records;
    }
}
