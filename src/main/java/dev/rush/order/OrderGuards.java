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

    /** A buyer, and whether what was given back does not count. */
    private record Buyer(String sale, String user, boolean returnsLimit) {
    }

    /** Units of limited items that users had taken before, and the limits. */
    record Taken(Map<Holding, Long> units, Map<String, SaleTerms.Terms> terms) {

        long limit(Holding holding) {
            return terms.get(holding.sale).limits().get(holding.sku);
        }
    }

    /**
     * What the users of these purchases have taken of limited items, before any is inserted. The
     * orders of a sale lie in one partition and the transaction holds its lease, so nobody else
     * adds to what is counted.
     */
    static Taken taken(Connection connection, Collection<Purchase> purchases,
            Map<String, SaleTerms.Terms> terms) throws SQLException {
        Set<Buyer> buyers = new HashSet<>();
        for (Purchase purchase : purchases) {
            SaleTerms.Terms sale = terms.get(purchase.sale());
            if (sale.isLimited(purchase.quantities().keySet())) {
                buyers.add(new Buyer(purchase.sale(), purchase.user(), sale.returnsLimit()));
            }
        }
        Map<Holding, Long> units = new HashMap<>();
        if (!buyers.isEmpty()) {
            count(connection, List.copyOf(buyers), units);
        }
        return new Taken(units, terms);
    }

    /** A probe of the index for each buyer; grouped, so that it stays one whatever is planned. */
    private static void count(Connection connection, List<Buyer> buyers, Map<Holding, Long> units)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT b.sale, b.user_id, held.lines, held.orders
                FROM unnest(?::text[], ?::text[], ?::boolean[])
                    AS b (sale, user_id, returns_limit)
                CROSS JOIN LATERAL (
                    SELECT o.lines, count(*) AS orders FROM orders o
                    WHERE o.sale = b.sale AND o.user_id = b.user_id AND o.status <> 'rejected'
                        AND (o.status IN ('reserved', 'confirmed') OR NOT b.returns_limit)
                    GROUP BY o.lines) AS held""")) {
            select.setArray(1, connection.createArrayOf("text",
                    buyers.stream().map(Buyer::sale).toArray()));
            select.setArray(2, connection.createArrayOf("text",
                    buyers.stream().map(Buyer::user).toArray()));
            select.setArray(3, connection.createArrayOf("bool",
                    buyers.stream().map(Buyer::returnsLimit).toArray()));
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    String sale = rows.getString(1);
                    String user = rows.getString(2);
                    long orders = rows.getLong(4);
                    StreamEntry.quantities(rows.getString(3)).forEach((sku, quantity) ->
                            units.merge(new Holding(sale, user, sku), orders * quantity,
                                    Long::sum));
                }
            }
        }
    }

    /**
     * Which of these orders, just inserted, take a user over a limit: the latest ones.
     *
     * @return order → reason
     */
    static Map<UUID, String> overLimit(Collection<Purchase> fresh, Taken taken) {
        Map<Holding, Long> held = new HashMap<>();
        Map<UUID, String> rejected = new HashMap<>();
        for (Purchase purchase : fresh) {
            purchase.quantities().forEach((sku, quantity) -> {
                Holding holding = new Holding(purchase.sale(), purchase.user(), sku);
                if (taken.limit(holding) > 0) {
                    held.merge(holding, quantity, Long::sum);
                }
            });
        }
        Map<Holding, Long> excess = new HashMap<>();
        held.forEach((holding, units) -> {
            long over = units + taken.units.getOrDefault(holding, 0L) - taken.limit(holding);
            if (over > 0) {
                excess.put(holding, over);
            }
        });
        List<Purchase> all = List.copyOf(fresh);
        for (int i = all.size() - 1; i >= 0 && !excess.isEmpty(); i--) {
            Purchase purchase = all.get(i);
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
        // One item is locked in the only order that there is, so its guard alone will do.
        if (wanted.size() == 1 && count(connection, wanted)) {
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
        if (!sold.isEmpty() && !count(connection, sold)) {
            throw new IllegalStateException("an item changed while it was locked");
        }
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

    /** Whether all of this fitted under the totals. */
    private static boolean count(Connection connection, Map<Item, Long> sold)
            throws SQLException {
        List<Item> items = new ArrayList<>(sold.keySet());
        try (PreparedStatement update = connection.prepareStatement("""
                UPDATE items i SET sold = i.sold + wanted.units
                FROM unnest(?::text[], ?::text[], ?::bigint[]) AS wanted (sale, sku, units)
                WHERE i.sale = wanted.sale AND i.sku = wanted.sku
                    AND i.sold + wanted.units <= i.total""")) {
            bind(connection, update, items);
            update.setArray(3, connection.createArrayOf("int8",
                    items.stream().map(sold::get).toArray()));
            return update.executeUpdate() == items.size();
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
