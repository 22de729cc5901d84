package dev.rush.books;

import dev.rush.books.SaleSnapshot.Shard;
import dev.rush.order.LedgerState;
import dev.rush.order.StoredIds;
import dev.rush.order.sql.Sql;
import dev.rush.order.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the ledger knows of a sale at one instant, as far as it was accepted before an instant of
 * Redis's: orders that Redis accepted later are left out. Also what of the stream it has by then.
 */
final class LedgerSnapshot {

    /** A credit takes its way from the ledger to Redis and back within this, unless it is stuck. */
    private static final long CREDIT_MS = 5_000;

    /** For a transaction in which nothing was done yet. */
    static final Sql AT_ONE_INSTANT = Sql.named("read-at-one-instant",
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    private static final Sql SALE = Sql.named("sale-in-books", """
            SELECT state, (SELECT COALESCE(sum(l.lost), 0) FROM losses l
                WHERE l.partition = ANY (s.partitions) AND l.noticed_at >= s.prepared_at)
            FROM sales s WHERE sale = ?""");
    private static final Sql ITEMS = Sql.named("items-in-books",
            "SELECT sku, total FROM items WHERE sale = ? ORDER BY sku");
    /** A rejected order with a credit is one whose units were given to another by a repair. */
    private static final Sql ORDERS = Sql.named("orders-in-books", """
            SELECT split_part(line, ':', 1) AS sku, status, credit, o.partition,
                sum(split_part(line, ':', 2)::bigint) AS units,
                COALESCE(sum(split_part(line, ':', 2)::bigint) FILTER (WHERE
                    credit = 'pending' OR ended_at > now() - ? * interval '1 ms'), 0) AS fresh
            FROM orders o CROSS JOIN unnest(string_to_array(o.lines, ',')) AS line
                LEFT JOIN unnest(?::int[], ?::bigint[], ?::bigint[])
                    AS redis (partition, seq, at_ms) ON redis.partition = o.partition
            WHERE o.sale = ? AND (redis.partition IS NULL OR o.seq <= redis.seq
                OR o.placed_at_ms < redis.at_ms)
            GROUP BY 1, 2, 3, 4""");
    private static final Sql DEAD_LETTERS = Sql.named("dead-orders-in-books", """
            SELECT order_id, fields ->> 'lines', partition FROM dead_letters
            WHERE sale = ? AND state = 'waiting' AND kind = 'purchase'""");

    private final Map<String, Long> totals = new LinkedHashMap<>();
    private final Map<Place, Item> items = new HashMap<>();
    private final List<Integer> partitions;
    private boolean found;
    private String state = "";
    private long lost;

    /** An item in one partition. */
    private record Place(int partition, String sku) {
    }

    /** Counts of one item, in units. */
    static final class Item {
        long reserved;
        long confirmed;
        long rejected;
        /** Expired or returned, whether credited or not. */
        long ended;
        /** Of those, the most that may not be credited in Redis yet. */
        long pendingMost;
        long inStream;
        long deadLetters;

        /** What Redis has as ordered, but for credits that it owes. */
        long accounted() {
            return reserved + confirmed + rejected + inStream + deadLetters;
        }

        void add(Item other) {
            reserved += other.reserved;
            confirmed += other.confirmed;
            rejected += other.rejected;
            inStream += other.inStream;
            deadLetters += other.deadLetters;
        }
    }

    private LedgerSnapshot(List<Integer> partitions) {
        this.partitions = partitions;
    }

    /**
     * Reads it, in a transaction in which nothing was done yet.
     *
     * @param redis   what Redis had, each shard at its instant
     * @param agoMs   how long ago the first of them was
     * @param waiting by shard: order → lines, of the stream up to that instant
     */
    static LedgerSnapshot read(Connection connection, String sale, SaleSnapshot redis, long agoMs,
            List<Map<String, String>> waiting) throws SQLException {
        AT_ONE_INSTANT.run(connection);
        LedgerSnapshot snapshot = new LedgerSnapshot(redis.shards().stream()
                .map(shard -> shard.partition().index()).toList());
        snapshot.readSale(connection, sale);
        if (snapshot.found) {
            snapshot.readItems(connection, sale);
            snapshot.readOrders(connection, sale, redis.shards(), agoMs);
            snapshot.readElsewhere(connection, sale, redis.shards(), waiting);
        }
        return snapshot;
    }

    private void readSale(Connection connection, String sale) throws SQLException {
        SALE.each(connection, row -> {
            found = true;
            state = row.getString(1);
            lost = row.getLong(2);
        }, sale);
    }

    private void readItems(Connection connection, String sale) throws SQLException {
        ITEMS.each(connection, row -> totals.put(row.getString(1), row.getLong(2)), sale);
    }

    private void readOrders(Connection connection, String sale, List<Shard> shards, long agoMs)
            throws SQLException {
        ORDERS.each(connection, row ->
                add(item(row.getInt(4), row.getString(1)), row.getString(2),
                        row.getString(3) != null, row.getLong(5), row.getLong(6)),
                CREDIT_MS + agoMs, SqlArray.integers(partitions),
                SqlArray.longs(shards, Shard::seq), SqlArray.longs(shards, Shard::redisMs), sale);
    }

    private static void add(Item item, String status, boolean credit, long units, long fresh) {
        switch (status) {
            case "reserved" -> item.reserved += units;
            case "confirmed" -> item.confirmed += units;
            case "rejected" -> item.rejected += credit ? 0 : units;
            default -> {
                item.ended += units;
                item.pendingMost += fresh;
            }
        }
    }

    /** Dead letters, and what waits in the streams; each order once, in the ledger first. */
    private void readElsewhere(Connection connection, String sale, List<Shard> shards,
            List<Map<String, String>> waiting) throws SQLException {
        Map<String, Dead> dead = deadLetters(connection, sale);
        Set<String> ids = new HashSet<>(dead.keySet());
        waiting.forEach(orders -> ids.addAll(orders.keySet()));
        Set<String> stored = StoredIds.of(connection, StoredIds.ORDERS, ids);
        dead.keySet().removeAll(stored);
        dead.values().forEach(letter -> Quantities.of(letter.lines).forEach((sku, units) ->
                item(letter.partition, sku).deadLetters += units));
        for (int i = 0; i < shards.size(); i++) {
            int partition = shards.get(i).partition().index();
            waiting.get(i).forEach((order, lines) -> {
                if (!stored.contains(order) && !dead.containsKey(order)) {
                    Quantities.of(lines).forEach((sku, units) ->
                            item(partition, sku).inStream += units);
                }
            });
        }
    }

    private record Dead(int partition, String lines) {
    }

    private static Map<String, Dead> deadLetters(Connection connection, String sale)
            throws SQLException {
        Map<String, Dead> dead = new HashMap<>();
        DEAD_LETTERS.each(connection, row -> dead.put(String.valueOf(row.getString(1)),
                new Dead(row.getInt(3), row.getString(2))), sale);
        return dead;
    }

    /** The counts of an item in one partition; the first shard's has what lies in no shard's. */
    Item item(int partition, String sku) {
        int place = partitions.contains(partition) ? partition : partitions.get(0);
        return items.computeIfAbsent(new Place(place, sku), first -> new Item());
    }

    /** Whether the ledger has the sale and its stock was released. */
    boolean isLoaded() {
        return LedgerState.isLoaded(state);
    }

    /** Whether it is over, balanced, and Redis keeps it no longer, or soon will not. */
    boolean isRetired() {
        return LedgerState.isRetired(state);
    }

    long lost() {
        return lost;
    }

    /** Items of the sale and their totals. */
    Map<String, Long> totals() {
        return totals;
    }
}
