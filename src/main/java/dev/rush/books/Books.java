package dev.rush.books;

import dev.rush.books.SaleBooks.Item;
import dev.rush.http.Times;
import dev.rush.order.Ledger;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Reconciliation of a sale. Redis is read at one instant, then the stream up to that instant, then
 * the ledger at one instant: an order leaves the stream only once the ledger has it, so each that
 * Redis had accepted is met at least once, and counts once by its id. What Redis accepted after its
 * instant is told by the partition's sequence and left out.
 *
 * <p>Each shard of a sale is judged so at an instant of its own, and the sums are the sale's: no
 * order moves from one shard to another, only free units do.
 */
@Singleton
public class Books {

    private final Ledger ledger;
    private final SaleSnapshots snapshots;
    private final StreamScan streams;

    @Inject
    Books(Ledger ledger, SaleSnapshots snapshots, StreamScan streams) {
        this.ledger = ledger;
        this.snapshots = snapshots;
        this.streams = streams;
    }

    /**
     * The books of a sale and where they are wrong.
     *
     * @param drifts by shard and sku
     */
    record Reckoning(SaleBooks books, List<Map<String, Long>> drifts) {
    }

    /** The books of a sale; null if the ledger has no such sale loaded. Waits for both stores. */
    public SaleBooks of(String sale) {
        Reckoning reckoning = reckon(sale, snapshots.of(sale));
        return reckoning == null ? null : reckoning.books;
    }

    Reckoning reckon(String sale) {
        return reckon(sale, snapshots.of(sale));
    }

    Reckoning reckon(String sale, SaleSnapshot snapshot) {
        List<Map<String, String>> waiting = snapshot.shards().stream().map(shard ->
                streams.read(shard.partition(), "purchase", sale, shard.last())).toList();
        long agoMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - snapshot.nanos());
        LedgerSnapshot known = ledger.transact(connection -> LedgerSnapshot.read(
                connection, sale, snapshot, agoMs, waiting));
        if (known.isRetired()) {
            return new Reckoning(retired(sale, snapshot, known), List.of());
        }
        if (!known.isLoaded()) {
            return null;
        }
        List<Map<String, Long>> drifts = new ArrayList<>();
        snapshot.shards().forEach(shard -> drifts.add(new LinkedHashMap<>()));
        List<Item> items = new ArrayList<>();
        Verdict worst = snapshot.isLoaded() ? Verdict.BALANCED : Verdict.NOT_LOADED;
        for (Map.Entry<String, Long> total : known.totals().entrySet()) {
            Item item = item(total.getKey(), total.getValue(), snapshot, known, drifts);
            items.add(item);
            worst = worst.orWorse(item.verdict());
        }
        return new Reckoning(new SaleBooks(sale, Times.text(snapshot.redisMs()), worst,
                known.lost(), false, List.copyOf(items)), drifts);
    }

    /** What a sale came to whose books balanced before Redis let go of it. */
    private static SaleBooks retired(String sale, SaleSnapshot snapshot, LedgerSnapshot known) {
        List<Item> items = new ArrayList<>();
        known.totals().forEach((sku, total) -> {
            LedgerSnapshot.Item sum = new LedgerSnapshot.Item();
            snapshot.shards().forEach(shard ->
                    sum.add(known.item(shard.partition().index(), sku)));
            long ordered = sum.reserved + sum.confirmed + sum.rejected;
            items.add(new Item(sku, total, Math.max(0, total - ordered), ordered, sum.reserved,
                    sum.confirmed, sum.rejected, 0, 0, 0, 0, 0, Verdict.BALANCED, total));
        });
        return new SaleBooks(sale, Times.text(snapshot.redisMs()), Verdict.BALANCED, known.lost(),
                true, List.copyOf(items));
    }

    private static Item item(String sku, long ledgerTotal, SaleSnapshot snapshot,
            LedgerSnapshot known, List<Map<String, Long>> drifts) {
        boolean there = snapshot.isLoaded()
                && snapshot.shards().stream().allMatch(shard -> shard.has(sku));
        LedgerSnapshot.Item sum = new LedgerSnapshot.Item();
        long total = 0;
        long ordered = 0;
        long pending = 0;
        for (int i = 0; i < drifts.size(); i++) {
            SaleSnapshot.Shard shard = snapshot.shards().get(i);
            LedgerSnapshot.Item part = known.item(shard.partition().index(), sku);
            // Redis counts what it credited, so nothing can slip through between the two
            // instants; but it owes no more than what the ledger says may be owed.
            long owed = Math.max(0, Math.min(
                    part.pendingMost, part.ended - shard.counter(sku, "credited")));
            drifts.get(i).put(sku, shard.counter(sku, "ordered") - part.accounted() - owed);
            sum.add(part);
            pending += owed;
            total += shard.counter(sku, "total");
            ordered += shard.counter(sku, "ordered");
        }
        long drift = drifts.stream().mapToLong(shard -> shard.get(sku)).sum();
        long inTransfer = snapshot.inTransfer(sku);
        long whole = there ? total + inTransfer : ledgerTotal;
        Verdict verdict = !there ? Verdict.NOT_LOADED
                : Verdict.ofDrift(drift).orWorse(Verdict.ofDrift(ledgerTotal - whole));
        return new Item(sku, whole, there ? total - ordered : 0, ordered, sum.reserved,
                sum.confirmed, sum.rejected, pending, sum.inStream, sum.deadLetters, inTransfer,
                drift, verdict, ledgerTotal);
    }
}
