package dev.rush.ledger.writer;

import dev.rush.ledger.Sums;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import dev.rush.ledger.writer.StreamEntry.Purchase;
import dev.rush.ledger.writer.Verdicts.Item;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The changes of one writer transaction to items, sums and the journal. */
final class Booking {

    private static final Sql LOCK = Sql.named("lock-items-left", """
            SELECT i.sale, i.sku, i.total - i.sold
            FROM unnest(?::text[], ?::text[]) AS wanted (sale, sku)
            JOIN items i ON i.sale = wanted.sale AND i.sku = wanted.sku
            ORDER BY i.sale, i.sku FOR NO KEY UPDATE OF i""");
    private static final Sql SELL = Sql.named("sell-items", """
            UPDATE items i SET sold = i.sold + wanted.units
            FROM unnest(?::text[], ?::text[], ?::bigint[]) AS wanted (sale, sku, units)
            WHERE i.sale = wanted.sale AND i.sku = wanted.sku
                AND i.sold + wanted.units <= i.total""");
    private static final Sql INSERT = Sql.named("insert-block", """
            INSERT INTO blocks (month, block, epoch, partition, token, first_seq, last_seq,
                places_before, orders, subjects) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""");

    /** Numbers per block, so that readers of the journal need not read a whole transaction. */
    private static final int NUMBERS_PER_BLOCK = 1_000;
    /**
     * Ids that a transaction has for its blocks: the increment of {@code block_ids}. Further ranges
     * of numbers share the last one.
     */
    private static final int BLOCK_IDS_MAX = 1_000;
    /** The order of places, which {@link #write} assigns. */
    private static final Comparator<BlockKey> BY_PLACE =
            Comparator.comparingInt(BlockKey::month).thenComparingLong(BlockKey::id);

    private final Fence fence;
    private final Map<Long, Long> blockIds = new HashMap<>();
    private final Map<Item, Long> sold = new TreeMap<>();
    private final Sums sums = new Sums();
    private final Map<BlockKey, Block> blocks = new TreeMap<>(BY_PLACE);
    private boolean isChanged;
    /**
     * The current run of orders with the same sale, lines and kind, by its first one. Consecutive
     * orders are mostly alike, so a run is added to the sums once.
     */
    private @Nullable Purchase runStart;
    private long runLength;
    private boolean isRunReserved;

    private record BlockKey(int month, long id) {
    }

    /** Orders and grabs of one month with neighbouring numbers. */
    private static final class Block {

        private final Set<String> subjects = new TreeSet<>();
        private long first = Long.MAX_VALUE;
        private long last;
        private int orders;
    }

    Booking(Fence fence) {
        this.fence = fence;
    }

    /**
     * The block of an order or grab; those with neighbouring numbers share it.
     *
     * @param seq 0 for one that was restored from Redis without a number
     */
    long block(long seq) {
        long range = seq == 0 ? Long.MIN_VALUE
                : Math.floorDiv(seq - fence.seq() - 1, NUMBERS_PER_BLOCK);
        return blockIds.computeIfAbsent(range,
                unknown -> fence.firstBlock() + Math.min(blockIds.size(), BLOCK_IDS_MAX - 1));
    }

    /** Counts an order that is stored. */
    void stored(Purchase purchase, Terms terms) {
        addToBlock(terms.month(), purchase.sale(), purchase.seq());
        isChanged = true;
        boolean reserved = terms.window() > 0;
        // By identity: consecutive entries with equal lines share the map. Otherwise, the run only
        // ends earlier.
        if (runStart == null || purchase.quantities() != runStart.quantities()
                || !purchase.sale().equals(runStart.sale()) || reserved != isRunReserved) {
            addRun();
            runStart = purchase;
            isRunReserved = reserved;
        }
        runLength++;
    }

    private void addRun() {
        Purchase start = runStart;
        if (start != null) {
            start.quantities().forEach((sku, quantity) -> {
                long units = runLength * quantity;
                sold.merge(new Item(start.sale(), sku), units, Long::sum);
                sums.add(start.sale(), fence.partition(), sku, Sums.Column.STORED, units);
                sums.add(start.sale(), fence.partition(), sku, isRunReserved
                        ? Sums.Column.RESERVED : Sums.Column.CONFIRMED, units);
            });
        }
        runLength = 0;
    }

    /** Counts an order that is kept as refused. */
    void refused(Purchase purchase, Terms terms) {
        addToBlock(terms.month(), purchase.sale(), purchase.seq());
        isChanged = true;
        sums.add(purchase.sale(), fence.partition(), purchase.quantities(),
                Sums.Column.REJECTED);
    }

    /** Records an order or grab, stored or refused, for readers of the journal. */
    void addToBlock(int month, String subject, long seq) {
        Block block = blocks.computeIfAbsent(new BlockKey(month, block(seq)),
                key -> new Block());
        block.subjects.add(subject);
        block.first = Math.min(block.first, seq);
        block.last = Math.max(block.last, seq);
        block.orders++;
    }

    /**
     * Writes all changes.
     *
     * @return false if an item has too few units left: the transaction must not be committed
     */
    boolean write(Connection connection) throws SQLException {
        addRun();
        List<Item> items = List.copyOf(sold.keySet());
        // Writers that lock several items in different orders would deadlock.
        if (items.size() > 1) {
            lockLeft(connection, sold.keySet());
        }
        List<Sql.Call> calls = new ArrayList<>();
        calls.add(SELL.with(SqlArray.texts(items, Item::sale), SqlArray.texts(items, Item::sku),
                SqlArray.longs(items, sold::get)));
        if (isChanged) {
            calls.add(sums.written(Sums.WRITER));
        }
        int placesBefore = 0;
        for (Map.Entry<BlockKey, Block> entry : blocks.entrySet()) {
            Block block = entry.getValue();
            calls.add(INSERT.with(entry.getKey().month, entry.getKey().id,
                    fence.ledgerState().epoch(), fence.partition(), fence.token(), block.first,
                    block.last, placesBefore, block.orders, SqlArray.texts(block.subjects)));
            placesBefore += block.orders;
        }
        return blocks.isEmpty() || Sql.updateAll(connection, calls).get(0) == items.size();
    }

    /** Unsold units of these items, locked for the rest of the transaction. */
    static Map<Item, Long> lockLeft(Connection connection, Set<Item> items) throws SQLException {
        Map<Item, Long> left = new HashMap<>();
        List<Item> wanted = List.copyOf(new TreeSet<>(items));
        LOCK.each(connection, row ->
                left.put(new Item(row.getString(1), row.getString(2)), row.getLong(3)),
                SqlArray.texts(wanted, Item::sale), SqlArray.texts(wanted, Item::sku));
        return left;
    }
}
