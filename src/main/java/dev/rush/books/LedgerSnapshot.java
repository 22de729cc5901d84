package dev.rush.books;

import dev.rush.order.SaleLedger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What the ledger knows of a sale at one instant, as far as it was accepted before an instant of
 * Redis's: orders that Redis accepted later are left out. Also what of the stream it has by then.
 */
final class LedgerSnapshot {

    private static final Pattern ID =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final int IDS_MAX = 10_000;
    /** A credit takes its way from the ledger to Redis and back within this, unless it is stuck. */
    private static final long CREDIT_MS = 5_000;

    private final Map<String, Item> items = new LinkedHashMap<>();
    private boolean found;
    private String state = "";
    private long lost;

    /** Counts of one item, in units. */
    static final class Item {
        long total;
        long reserved;
        long confirmed;
        long rejected;
        /** Expired or returned, whether credited or not. */
        long ended;
        /** Of those, the most that may not be credited in Redis yet. */
        long pendingMost;
        long inStream;
        long deadLetters;
    }

    private LedgerSnapshot() {
    }

    /**
     * Reads it, in a transaction in which nothing was done yet.
     *
     * @param seq     the partition's sequence at Redis's instant
     * @param redisMs that instant
     * @param agoMs   how long ago it was
     * @param waiting order → lines, of the stream up to that instant
     */
    static LedgerSnapshot read(Connection connection, String sale, long seq, long redisMs,
            long agoMs, Map<String, String> waiting) throws SQLException {
        try (Statement begin = connection.createStatement()) {
            begin.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
        }
        LedgerSnapshot snapshot = new LedgerSnapshot();
        snapshot.readSale(connection, sale);
        if (snapshot.found) {
            snapshot.readItems(connection, sale);
            snapshot.readOrders(connection, sale, seq, redisMs, agoMs);
            snapshot.readElsewhere(connection, sale, waiting);
        }
        return snapshot;
    }

    private void readSale(Connection connection, String sale) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT state, (SELECT COALESCE(sum(l.lost), 0) FROM losses l
                    WHERE l.partition = s.partition AND l.noticed_at >= s.prepared_at)
                FROM sales s WHERE sale = ?""")) {
            select.setString(1, sale);
            try (ResultSet row = select.executeQuery()) {
                found = row.next();
                state = found ? row.getString(1) : "";
                lost = found ? row.getLong(2) : 0;
            }
        }
    }

    private void readItems(Connection connection, String sale) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT sku, total FROM items WHERE sale = ? ORDER BY sku")) {
            select.setString(1, sale);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    item(row.getString(1)).total = row.getLong(2);
                }
            }
        }
    }

    /** A rejected order with a credit is one whose units were given to another by a repair. */
    private void readOrders(Connection connection, String sale, long seq, long redisMs,
            long agoMs) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT split_part(line, ':', 1) AS sku, status, credit,
                    sum(split_part(line, ':', 2)::bigint) AS units,
                    COALESCE(sum(split_part(line, ':', 2)::bigint) FILTER (WHERE
                        credit = 'pending' OR ended_at > now() - ? * interval '1 ms'), 0) AS fresh
                FROM orders o, unnest(string_to_array(o.lines, ',')) AS line
                WHERE o.sale = ? AND (o.seq <= ? OR o.placed_at_ms < ?)
                GROUP BY 1, 2, 3""")) {
            select.setLong(1, CREDIT_MS + agoMs);
            select.setString(2, sale);
            select.setLong(3, seq);
            select.setLong(4, redisMs);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    add(item(row.getString(1)), row.getString(2), row.getString(3) != null,
                            row.getLong(4), row.getLong(5));
                }
            }
        }
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

    /** Dead letters, and what waits in the stream; each order once, in the ledger first. */
    private void readElsewhere(Connection connection, String sale, Map<String, String> waiting)
            throws SQLException {
        Map<String, String> dead = deadLetters(connection, sale);
        Set<String> ids = new HashSet<>(waiting.keySet());
        ids.addAll(dead.keySet());
        Set<String> stored = stored(connection, "orders", ids);
        dead.keySet().removeAll(stored);
        dead.values().forEach(lines -> Quantities.of(lines).forEach((sku, units) ->
                item(sku).deadLetters += units));
        waiting.forEach((order, lines) -> {
            if (!stored.contains(order) && !dead.containsKey(order)) {
                Quantities.of(lines).forEach((sku, units) -> item(sku).inStream += units);
            }
        });
    }

    private static Map<String, String> deadLetters(Connection connection, String sale)
            throws SQLException {
        Map<String, String> dead = new HashMap<>();
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT order_id, fields ->> 'lines' FROM dead_letters
                WHERE sale = ? AND state = 'waiting' AND kind = 'purchase'""")) {
            select.setString(1, sale);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    dead.put(String.valueOf(row.getString(1)), row.getString(2));
                }
            }
        }
        return dead;
    }

    /** Which of these orders or grabs the ledger has, whatever became of them. */
    static Set<String> stored(Connection connection, String table, Collection<String> wanted)
            throws SQLException {
        Set<String> stored = new HashSet<>();
        List<String> ids = new ArrayList<>(wanted);
        ids.removeIf(id -> !ID.matcher(id).matches());
        for (int from = 0; from < ids.size(); from += IDS_MAX) {
            try (PreparedStatement select = connection.prepareStatement(
                    "SELECT id FROM " + table + " WHERE id = ANY (?::uuid[])")) {
                select.setArray(1, connection.createArrayOf("text",
                        ids.subList(from, Math.min(ids.size(), from + IDS_MAX)).toArray()));
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        stored.add(row.getString(1));
                    }
                }
            }
        }
        return stored;
    }

    private Item item(String sku) {
        return items.computeIfAbsent(sku, first -> new Item());
    }

    /** Whether the ledger has the sale and its stock was released. */
    boolean isLoaded() {
        return state.equals("loaded");
    }

    /** Whether it is over, balanced, and Redis keeps it no longer, or soon will not. */
    boolean isRetired() {
        return SaleLedger.isRetired(state);
    }

    long lost() {
        return lost;
    }

    Map<String, Item> items() {
        return items;
    }
}
