package dev.rush.books;

import dev.rush.RushConfig;
import dev.rush.order.Ledger;
import dev.rush.redis.Partition;
import dev.rush.redis.RedisCommands;
import dev.rush.redis.Reply;
import dev.rush.redis.Shards;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashSet;
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
    long requeue(String sale, Shards shards) {
        return shards.partitions().stream().mapToLong(shard -> requeue(sale, shard)).sum();
    }

    private long requeue(String sale, Partition partition) {
        Set<String> kept = kept(partition, BookScripts.sale(partition, sale, "orders"));
        if (kept.isEmpty()) {
            return 0;
        }
        Map<String, String> waiting =
                streams.read(partition, "purchase", sale, streams.last(partition));
        kept.removeAll(waiting.keySet());
        kept.removeAll(ledger.transact(connection ->
                LedgerSnapshot.stored(connection, "orders", kept)));
        ledger.transact(connection -> KnownOrder.dead(connection, sale))
                .forEach(order -> kept.remove(order.order().toString()));
        List<String> lost = new ArrayList<>(kept);
        long put = 0;
        for (int i = 0; i < lost.size(); i += PART) {
            put += put(partition, sale, lost.subList(i, Math.min(lost.size(), i + PART)));
        }
        if (put > 0) {
            awaitDrained(partition, sale, drainMs);
        }
        return put;
    }

    private Set<String> kept(Partition partition, String orders) {
        Set<String> kept = new HashSet<>();
        String cursor = END;
        do {
            Reply part = redis.command(partition, "HSCAN", orders, cursor,
                    "COUNT", Integer.toString(PART)).join();
            cursor = part.at(0).text();
            kept.addAll(part.at(1).pairs().keySet());
        } while (!cursor.equals(END));
        // The entry of no order keeps the key there.
        kept.remove("");
        return kept;
    }

    private long put(Partition partition, String sale, List<String> lost) {
        List<String> args = new ArrayList<>(List.of(sale));
        args.addAll(lost);
        return redis.script(BookScripts.REQUEUE, partition,
                List.of(BookScripts.sale(partition, sale, "keys"),
                        BookScripts.sale(partition, sale, "orders"), partition.orders()), args)
                .join().number();
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
