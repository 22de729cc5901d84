package dev.rush.order;

import dev.rush.order.StreamEntry.Purchase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The guards that keep the promises whatever Redis lost: no item is sold beyond its total, and
 * nobody has more of a limited item than the limit.
 */
final class OrderGuards {

    private OrderGuards() {
    }

    /** An item of a sale, or what a user has of it. Ordered, so that all lock in one order. */
    private record Item(String sale, String sku) implements Comparable<Item> {

        @Override
        public int compareTo(Item other) {
            int bySale = sale.compareTo(other.sale);
            return bySale != 0 ? bySale : sku.compareTo(other.sku);
        }
    }

    private record Holding(String sale, String user, String sku) {
    }

    /**
     * Which of these orders, just inserted, take a user over a limit. The orders of a sale lie in
     * one partition and the transaction holds its lease, so nobody else adds to what is counted.
     *
     * @return order → reason
     */
    static Map<UUID, String> overLimit(Connection connection, Collection<Purchase> fresh,
            Map<String, SaleTerms.Terms> terms) throws SQLException {
        List<Purchase> limited = fresh.stream().filter(purchase ->
                terms.get(purchase.sale()).isLimited(purchase.quantities().keySet())).toList();
        if (limited.isEmpty()) {
            return Map.of();
        }
        Map<Holding, Long> excess = excess(connection, limited);
        Map<UUID, String> rejected = new HashMap<>();
        for (int i = limited.size() - 1; i >= 0 && !excess.isEmpty(); i--) {
            Purchase purchase = limited.get(i);
            boolean over = purchase.quantities().keySet().stream().anyMatch(sku -> excess
                    .containsKey(new Holding(purchase.sale(), purchase.user(), sku)));
            if (over) {
                rejected.put(purchase.order(), "user's limit");
                purchase.quantities().forEach((sku, quantity) -> excess.computeIfPresent(
                        new Holding(purchase.sale(), purchase.user(), sku),
                        (holding, units) -> units > quantity ? units - quantity : null));
            }
        }
        return rejected;
    }

    /** Units above the limit, of those users of these purchases who have any. */
    private static Map<Holding, Long> excess(Connection connection, List<Purchase> limited)
            throws SQLException {
        Set<List<String>> buyers = new HashSet<>();
        limited.forEach(purchase -> buyers.add(List.of(purchase.sale(), purchase.user())));
        Map<Holding, Long> excess = new HashMap<>();
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT b.sale, b.user_id, i.sku, taken.units - i.limit_per_user
                FROM unnest(?::text[], ?::text[]) AS b (sale, user_id)
                JOIN sales s ON s.sale = b.sale
                CROSS JOIN LATERAL (
                    SELECT split_part(line, ':', 1) AS sku,
                           sum(split_part(line, ':', 2)::bigint) AS units
                    FROM orders o, unnest(string_to_array(o.lines, ',')) AS line
                    WHERE o.sale = b.sale AND o.user_id = b.user_id AND o.status <> 'rejected'
                        AND (o.status IN ('reserved', 'confirmed') OR NOT s.returns_limit)
                    GROUP BY 1) AS taken
                JOIN items i ON i.sale = b.sale AND i.sku = taken.sku
                WHERE i.limit_per_user > 0 AND taken.units > i.limit_per_user""")) {
            select.setArray(1, connection.createArrayOf("text",
                    buyers.stream().map(buyer -> buyer.get(0)).toArray()));
            select.setArray(2, connection.createArrayOf("text",
                    buyers.stream().map(buyer -> buyer.get(1)).toArray()));
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    excess.put(new Holding(rows.getString(1), rows.getString(2),
                            rows.getString(3)), rows.getLong(4));
                }
            }
        }
        return excess;
    }

    /**
     * Counts these orders, just inserted, as sold, as far as the totals reach: earlier ones first.
     *
     * @return the others, each with its reason
     */
    static Map<UUID, String> sell(Connection connection, List<Purchase> fresh)
            throws SQLException {
        Map<Item, Long> wanted = new TreeMap<>();
        fresh.forEach(purchase -> purchase.quantities().forEach((sku, quantity) ->
                wanted.merge(new Item(purchase.sale(), sku), quantity, Long::sum)));
        if (wanted.isEmpty()) {
            return Map.of();
        }
        Map<Item, Long> left = lock(connection, wanted.keySet());
        Map<UUID, String> rejected = new HashMap<>();
        Map<Item, Long> sold = new TreeMap<>();
        for (Purchase purchase : fresh) {
            boolean fits = purchase.quantities().entrySet().stream().allMatch(line ->
                    left.getOrDefault(new Item(purchase.sale(), line.getKey()), 0L)
                            >= line.getValue());
            if (!fits) {
                rejected.put(purchase.order(), "total is sold");
                continue;
            }
            purchase.quantities().forEach((sku, quantity) -> {
                Item item = new Item(purchase.sale(), sku);
                left.merge(item, -quantity, Long::sum);
                sold.merge(item, quantity, Long::sum);
            });
        }
        count(connection, sold);
        return rejected;
    }

    private static Map<Item, Long> lock(Connection connection, Set<Item> items)
            throws SQLException {
        Map<Item, Long> left = new HashMap<>();
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT i.sale, i.sku, i.total - i.sold
                FROM unnest(?::text[], ?::text[]) AS wanted (sale, sku)
                JOIN items i ON i.sale = wanted.sale AND i.sku = wanted.sku
                ORDER BY i.sale, i.sku FOR NO KEY UPDATE OF i""")) {
            bind(connection, select, List.copyOf(items));
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    left.put(new Item(rows.getString(1), rows.getString(2)), rows.getLong(3));
                }
            }
        }
        return left;
    }

    private static void count(Connection connection, Map<Item, Long> sold) throws SQLException {
        if (sold.isEmpty()) {
            return;
        }
        List<Item> items = new ArrayList<>(sold.keySet());
        try (PreparedStatement update = connection.prepareStatement("""
                UPDATE items i SET sold = i.sold + wanted.units
                FROM unnest(?::text[], ?::text[], ?::bigint[]) AS wanted (sale, sku, units)
                WHERE i.sale = wanted.sale AND i.sku = wanted.sku
                    AND i.sold + wanted.units <= i.total""")) {
            bind(connection, update, items);
            update.setArray(3, connection.createArrayOf("int8",
                    items.stream().map(sold::get).toArray()));
            if (update.executeUpdate() != items.size()) {
                throw new IllegalStateException("an item changed while it was locked");
            }
        }
    }

    private static void bind(Connection connection, PreparedStatement statement, List<Item> items)
            throws SQLException {
        statement.setArray(1, connection.createArrayOf("text",
                items.stream().map(Item::sale).toArray()));
        statement.setArray(2, connection.createArrayOf("text",
                items.stream().map(Item::sku).toArray()));
    }
}
