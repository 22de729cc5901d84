package dev.rush.books;

import dev.rush.books.SaleBooks.Item;
import dev.rush.http.Times;
import dev.rush.order.Ledger;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.RedisCommands;
import dev.rush.redis.Reply;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Reconciliation of a sale. Redis is read at one instant, then the stream up to that instant, then
 * the ledger at one instant: an order leaves the stream only once the ledger has it, so each that
 * Redis had accepted is met at least once, and counts once by its id. What Redis accepted after its
 * instant is told by the partition's sequence and left out.
 */
@Singleton
public class Books {

    private final Ledger ledger;
    private final RedisCommands redis;
    private final Partitions partitions;
    private final StreamScan streams;

    @Inject
    Books(Ledger ledger, RedisCommands redis, Partitions partitions, StreamScan streams) {
        this.ledger = ledger;
        this.redis = redis;
        this.partitions = partitions;
        this.streams = streams;
    }

    /** What Redis had at one instant. */
    record Snapshot(long redisMs, long seq, String last, long backlog, String word,
            Map<String, String> stock, long nanos) {

        boolean isLoaded() {
            return word.equals("loaded");
        }

        long counter(String sku, String counter) {
            return Long.parseLong(stock.getOrDefault(sku + ":" + counter, "0"));
        }
    }

    /** What Redis has of a sale now. */
    Snapshot snapshot(String sale) {
        long nanos = System.nanoTime();
        Partition partition = partitions.of(sale);
        Reply reply = redis.script(BookScripts.SNAPSHOT, partition,
                List.of(BookScripts.sale(partition, sale, "conf"),
                        BookScripts.sale(partition, sale, "stock"),
                        BookScripts.sale(partition, sale, "keys"),
                        partition.orders(), partition.sequence()), List.of()).join();
        return new Snapshot(reply.at(0).number(), reply.at(1).number(), reply.at(2).text(),
                reply.at(3).number(), reply.at(4).text(), reply.at(5).pairs(), nanos);
    }

    /** The books of a sale; null if the ledger has no such sale loaded. Waits for both stores. */
    public SaleBooks of(String sale) {
        return of(sale, snapshot(sale));
    }

    SaleBooks of(String sale, Snapshot snapshot) {
        Map<String, String> waiting =
                streams.read(partitions.of(sale), "purchase", sale, snapshot.last());
        long agoMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - snapshot.nanos());
        LedgerSnapshot known = ledger.transact(connection -> LedgerSnapshot.read(
                connection, sale, snapshot.seq(), snapshot.redisMs(), agoMs, waiting));
        if (known.isRetired()) {
            return retired(sale, snapshot, known);
        }
        if (!known.isLoaded()) {
            return null;
        }
        List<Item> items = new ArrayList<>();
        Verdict worst = snapshot.isLoaded() ? Verdict.BALANCED : Verdict.NOT_LOADED;
        for (Map.Entry<String, LedgerSnapshot.Item> entry : known.items().entrySet()) {
            Item item = item(entry.getKey(), snapshot, entry.getValue());
            items.add(item);
            worst = worst.orWorse(item.verdict());
        }
        return new SaleBooks(
                sale, Times.text(snapshot.redisMs()), worst, known.lost(), false,
                List.copyOf(items));
    }

    /** What a sale came to whose books balanced before Redis let go of it. */
    private static SaleBooks retired(String sale, Snapshot snapshot, LedgerSnapshot known) {
        List<Item> items = new ArrayList<>();
        known.items().forEach((sku, item) -> {
            long ordered = item.reserved + item.confirmed + item.rejected;
            items.add(new Item(sku, item.total, Math.max(0, item.total - ordered), ordered,
                    item.reserved, item.confirmed, item.rejected, 0, 0, 0, 0, 0,
                    Verdict.BALANCED, item.total));
        });
        return new SaleBooks(sale, Times.text(snapshot.redisMs()), Verdict.BALANCED, known.lost(),
                true, List.copyOf(items));
    }

    private static Item item(String sku, Snapshot snapshot, LedgerSnapshot.Item known) {
        boolean there = snapshot.isLoaded() && snapshot.stock().containsKey(sku + ":total");
        long total = there ? snapshot.counter(sku, "total") : known.total;
        long ordered = snapshot.counter(sku, "ordered");
        // Redis counts what it credited, so nothing can slip through between the two instants;
        // but it owes no more than what the ledger says may be owed.
        long pending = Math.max(0, Math.min(
                known.pendingMost, known.ended - snapshot.counter(sku, "credited")));
        long drift = ordered - (known.reserved + known.confirmed + known.rejected + pending
                + known.inStream + known.deadLetters);
        Verdict verdict = !there ? Verdict.NOT_LOADED
                : Verdict.ofDrift(drift).orWorse(Verdict.ofDrift(known.total - total));
        return new Item(sku, total, there ? total - ordered : 0, ordered, known.reserved,
                known.confirmed, known.rejected, pending, known.inStream, known.deadLetters, 0,
                drift, verdict, known.total);
    }
}
