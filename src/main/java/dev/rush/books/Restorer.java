package dev.rush.books;

import dev.rush.order.Credits;
import dev.rush.order.Ledger;
import dev.rush.order.SaleShards;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Deducts again what a failover of Redis lost and the ledger still knows, order by order: one that
 * Redis has no entry of has lost its deduction with it, because both were written together. It
 * also credits again what was credited and lost, and orders that ended while they were restored, as
 * Redis knew nothing of them when they were credited. Doing it again changes nothing.
 */
@Singleton
class Restorer {

    private static final int PART = 500;

    private final Ledger ledger;
    private final RedisCommands redis;
    private final Partitions partitions;
    private final Credits credits;
    private final SaleShards saleShards;
    private final Corrections corrections;

    @Inject
    Restorer(Ledger ledger, RedisCommands redis, Partitions partitions, Credits credits,
            SaleShards saleShards, Corrections corrections) {
        this.ledger = ledger;
        this.redis = redis;
        this.partitions = partitions;
        this.credits = credits;
        this.saleShards = saleShards;
        this.corrections = corrections;
    }

    /**
     * What was done.
     *
     * @param orders   restored in Redis
     * @param shortBy  units of those that could not be deducted again, because others have them
     * @param credited orders whose units were given back once more
     */
    record Restored(long orders, long shortBy, long credited) {

        Restored plus(Restored other) {
            return new Restored(orders + other.orders, shortBy + other.shortBy,
                    credited + other.credited);
        }
    }

    /** Restores all orders of a sale. */
    Restored restore(String sale) {
        return restore(sale, -1, -1);
    }

    /** Restores a sale's orders of one partition whose sequence numbers lie above {@code seq}. */
    Restored restore(String sale, int partition, long seq) {
        Restored all = new Restored(0, 0, 0);
        UUID after = KnownOrder.FIRST;
        List<KnownOrder> part;
        do {
            UUID from = after;
            part = ledger.transact(connection ->
                    KnownOrder.read(connection, sale, partition, seq, from, PART));
            if (!part.isEmpty()) {
                after = part.get(part.size() - 1).order();
                all = all.plus(restore(sale, part));
            }
        } while (part.size() == PART);
        List<KnownOrder> dead = ledger.transact(connection -> KnownOrder.dead(connection, sale));
        for (int i = 0; i < dead.size(); i += PART) {
            all = all.plus(restore(sale, dead.subList(i, Math.min(dead.size(), i + PART))));
        }
        return all;
    }

    private Restored restore(String sale, List<KnownOrder> part) {
        Map<Integer, List<KnownOrder>> byPartition = part.stream()
                .filter(order -> !order.isSettled())
                .collect(Collectors.groupingBy(KnownOrder::partition));
        return byPartition.entrySet().stream().map(entry -> restore(
                sale, partitions.all().get(entry.getKey()), entry.getValue()))
                .reduce(new Restored(0, 0, 0), Restored::plus);
    }

    private Restored restore(String sale, Partition partition, List<KnownOrder> orders) {
        List<String> args = new ArrayList<>(6 * orders.size());
        orders.forEach(order -> args.addAll(List.of(order.user(), order.order().toString(),
                order.clientKey(), order.lines(), order.state(), order.line(order.state()))));
        List<String> words = redis.script(BookScripts.RESTORE,
                partition.keys().sale(sale, "conf", "stock", "buyers"), args).join().texts();
        long restored = 0;
        long shortBy = 0;
        List<Credits.Due> lost = new ArrayList<>();
        List<KnownOrder> taken = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            String[] word = words.get(i).split(" ");
            if (word[0].equals("restored")) {
                restored++;
                long missing = deduct(sale, partition, Quantities.of(word[1]));
                shortBy += missing;
                // What was not deducted again, because others have it, is not given back either.
                if (!orders.get(i).isEnded() && missing == 0) {
                    taken.add(orders.get(i));
                }
            } else if (words.get(i).equals("repeated a") && orders.get(i).isEnded()
                    && orders.get(i).creditDone()) {
                lost.add(orders.get(i).due(sale));
            }
        }
        if (!taken.isEmpty()) {
            // Whoever ends one of them from here on finds it in Redis.
            ledger.transact(connection -> KnownOrder.ended(connection, taken))
                    .forEach(order -> lost.add(order.due(sale)));
        }
        long credited = lost.isEmpty() ? 0 : credits.give(lost).join().values().stream()
                .filter("credited"::equals).count();
        return new Restored(restored, shortBy, credited);
    }

    /** Deducts what a shard had too few units for, with those of others. Returns what misses. */
    private long deduct(String sale, Partition partition, Map<String, Long> missing) {
        Shards shards = saleShards.read(sale);
        int shard = shards.partitions().indexOf(partition);
        return missing.entrySet().stream().mapToLong(line -> line.getValue()
                - (shards.isSplit() && shard >= 0 ? corrections.deduct(
                        sale, shards, shard, line.getKey(), line.getValue()) : 0)).sum();
    }
}
