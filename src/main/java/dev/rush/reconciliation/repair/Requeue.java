package dev.rush.reconciliation.repair;

import dev.rush.RushConfig;
import dev.rush.order.BuyerRecord;
import dev.rush.ledger.Ledger;
import dev.rush.reconciliation.report.StoredOrders;
import dev.rush.reconciliation.report.StreamScan;
import dev.rush.redis.Partition;
import dev.rush.redis.Reply;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds accepted orders that Redis keeps until the ledger has them, and that neither the stream nor
 * the ledger nor the dead letters know: their entry was lost. They are put into the stream again.
 */
@Singleton
class Requeue {

    private static final int PART = 500;
    private static final String END = "0";

    private final Ledger ledger;
    private final RedisCommands redis;
    private final StreamScan streams;
    private final long drainMs;

    @Inject
    Requeue(Ledger ledger, RedisCommands redis, StreamScan streams, RushConfig config) {
        this.ledger = ledger;
        this.redis = redis;
        this.streams = streams;
        this.drainMs = config.books().drain().toMillis();
    }

    /** Puts them, waits a while for the ledger to have them, and returns how many they were. */
    long requeue(String sale, int month, Shards shards) {
        return shards.partitions().stream()
                .mapToLong(shard -> requeue(sale, month, shard)).sum();
    }

    /** As the other, of one partition. */
    long requeue(String sale, int month, Partition partition) {
        Map<String, String> lost = notStored(sale, month, partition);
        // An order leaves the stream once the ledger has it, so the ledger is asked after that.
        lost.keySet().removeAll(streams.read(partition, "purchase", sale, streams.last(partition))
                .keySet());
        // One that failed is stored in the transaction that forgets that it failed.
        lost.keySet().removeAll(ledger.transact((connection, standing) ->
                FailedOrders.ids(connection, sale)));
        lost.keySet().removeAll(stored(month, lost.keySet()));
        List<Map.Entry<String, String>> all = List.copyOf(lost.entrySet());
        long put = 0;
        for (int i = 0; i < all.size(); i += PART) {
            put += put(partition, sale, all.subList(i, Math.min(all.size(), i + PART)));
        }
        if (put > 0) {
            awaitDrained(partition, sale, drainMs);
        }
        return put;
    }

    /** Accepted orders that the ledger does not have now, with their users. */
    private Map<String, String> notStored(String sale, int month, Partition partition) {
        Map<String, String> orders = new HashMap<>();
        String cursor = END;
        do {
            Reply part = redis.read("HSCAN", partition.keys().sale(sale, "buyers"),
                    cursor, "COUNT", Integer.toString(PART)).join();
            cursor = part.at(0).text();
            Map<String, String> read = new HashMap<>();
            part.at(1).pairs().forEach((user, record) -> BuyerRecord.lines(record).stream()
                    .filter(BuyerRecord.Line::isAccepted)
                    .forEach(line -> read.put(line.order(), user)));
            read.keySet().removeAll(stored(month, read.keySet()));
            orders.putAll(read);
        } while (!cursor.equals(END));
        return orders;
    }

    private Set<String> stored(int month, Set<String> orders) {
        return ledger.transact((connection, standing) ->
                StoredOrders.of(connection, month, orders));
    }

    private long put(Partition partition, String sale, List<Map.Entry<String, String>> lost) {
        List<String> args = new ArrayList<>(List.of(sale));
        lost.forEach(order -> args.addAll(List.of(order.getValue(), order.getKey())));
        return redis.script(RepairScripts.REQUEUE,
                partition.keys().sale(sale, "buyers").orders().sequence(), args).join().number();
    }

    /** Waits until nothing of a sale is in its streams. Says whether that came about. */
    boolean awaitDrained(Shards shards, String sale, long ms) {
        long deadline = System.nanoTime() + ms * 1_000_000;
        return shards.partitions().stream().allMatch(shard -> awaitDrained(shard, sale,
                Math.max(0, (deadline - System.nanoTime()) / 1_000_000)));
    }

    private boolean awaitDrained(Partition partition, String sale, long ms) {
        long deadline = System.nanoTime() + ms * 1_000_000;
        while (!streams.read(partition, "purchase", sale, streams.last(partition)).isEmpty()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }
}
