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
 * The one place where the nemesis knows how Redis keeps things: in which partition what lies, what
 * waits in a stream, and what a user has taken.
 */
public final class Layout {
    /** How many partitions the pods divide the keyspace into. */
    public static final int PARTITIONS = 64;

    private static final Partitions ALL = new Partitions(PARTITIONS);

    private Layout() {
    }

    /** Returns the partition in which what a user does lies. */
    public static int partition(Offer offer, String user) {
        return ALL.shards(offer.id(), offer.shards()).of(user).index();
    }

    /** Returns the partitions of an offer. */
    public static List<Integer> partitions(Offer offer) {
        return ALL.shards(offer.id(), offer.shards()).partitions().stream()
                .map(Partition::index).toList();
    }

    /** Returns the slot of a partition. */
    public static int slot(int partition) {
        return ALL.all().get(partition).slot();
    }

    /** Returns how many accepted orders and grabs wait for the ledger in each partition. */
    public static Map<Integer, Long> waiting(RedisClusterNodes redis) {
        Map<Integer, Long> waiting = new TreeMap<>();
        for (Partition partition : ALL.all()) {
            try (Resp resp = redis.resp(partition.key("orders"))) {
                long entries = resp.number("XLEN", partition.key("orders"));
                if (entries > 0) {
                    waiting.put(partition.index(), entries);
                }
            }
        }
        return waiting;
    }

    /** Returns the units that Redis counts against limits, by {@code user sku}. */
    public static Map<String, Long> taken(RedisClusterNodes redis, Offer sale) {
        Map<String, Long> taken = new HashMap<>();
        lines(redis, sale).forEach((user, lines) -> lines.stream()
                .filter(BuyerRecord.Line::isAccepted)
                .flatMap(line -> Stream.of(line.lines().split(",")))
                .map(line -> line.split(":")).forEach(line -> taken.merge(
                        user + " " + line[0], Long.parseLong(line[1]), Long::sum)));
        return taken;
    }

    /** Returns the orders of a sale that Redis knows, by user. */
    public static Map<String, List<BuyerRecord.Line>> lines(RedisClusterNodes redis, Offer sale) {
        Map<String, List<BuyerRecord.Line>> lines = new HashMap<>();
        for (Partition shard : ALL.shards(sale.id(), sale.shards()).partitions()) {
            String key = shard.key("sale:" + sale.id() + ":buyers");
            try (Resp resp = redis.resp(key)) {
                List<?> flat = resp.list("HGETALL", key);
                for (int i = 0; i < flat.size(); i += 2) {
                    lines.computeIfAbsent((String) flat.get(i), none -> new ArrayList<>())
                            .addAll(BuyerRecord.lines((String) flat.get(i + 1)));
                }
            }
        }
        return lines;
    }
}
