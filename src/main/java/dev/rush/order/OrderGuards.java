package dev.rush.order;

import dev.rush.order.StreamEntry.Purchase;
import dev.rush.order.sql.Sql;
import dev.rush.order.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;
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

    /**
     * Looks up each buyer in the index. Most have nothing, and the index says so; a scan of the
     * table would be cheaper in the planner's eyes only, so it is not offered.
     */
    private static final Sql TAKEN = Sql.named("taken-by-buyers",
            "SET LOCAL enable_seqscan = off", """
            SELECT user_id, lines, count(*) FROM orders
            WHERE sale = ? AND user_id = ANY (?) AND status <> 'rejected'
                AND (status IN ('reserved', 'confirmed') OR NOT ?)
            GROUP BY user_id, lines""");
    private static final Sql LOCK = Sql.named("lock-items", """
            SELECT i.sale, i.sku, i.total - i.sold
            FROM unnest(?::text[], ?::text[]) AS wanted (sale, sku)
            JOIN items i ON i.sale = wanted.sale AND i.sku = wanted.sku
            ORDER BY i.sale, i.sku FOR NO KEY UPDATE OF i""");
    private static final Sql COUNT = Sql.named("count-sold", """
            UPDATE items i SET sold = i.sold + wanted.units
            FROM unnest(?::text[], ?::text[], ?::bigint[]) AS wanted (sale, sku, units)
            WHERE i.sale = wanted.sale AND i.sku = wanted.sku
                AND i.sold + wanted.units <= i.total""");

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

    /** Units of limited items that users had taken before, and the limits. */
    record Taken(Map<Holding, Long> units, Map<String, SaleTerms.Terms> terms) {

        long limit(Holding holding) {
            return terms.get(holding.sale).limits().get(holding.sku);
        }
    }

    /**
     * What the users of these purchases have taken of limited items, before any is inserted. A
     * user's orders of a sale lie in one partition, whatever shards the sale has, and the
     * transaction holds its lease, so nobody else adds to what is counted.
     */
    static Taken taken(Connection connection, Collection<Purchase> purchases,
            Map<String, SaleTerms.Terms> terms) throws SQLException {
        Map<String, Set<String>> buyers = new HashMap<>();
        for (Purchase purchase : purchases) {
            if (terms.get(purchase.sale()).isLimited(purchase.quantities().keySet())) {
                buyers.computeIfAbsent(purchase.sale(), sale -> new HashSet<>())
                        .add(purchase.user());
            }
        }
        Map<Holding, Long> units = new HashMap<>();
        for (Map.Entry<String, Set<String>> of : buyers.entrySet()) {
            String sale = of.getKey();
            count(connection, sale, of.getValue(), terms.get(sale).returnsLimit(), units);
        }
        return new Taken(units, terms);
    }

    private static void count(Connection connection, String sale, Set<String> users,
            boolean returnsLimit, Map<Holding, Long> units) throws SQLException {
        TAKEN.each(connection, row -> {
            String user = row.getString(1);
            long orders = row.getLong(3);
            StreamEntry.quantities(row.getString(2)).forEach((sku, quantity) ->
                    units.merge(new Holding(sale, user, sku), orders * quantity, Long::sum));
        }, sale, SqlArray.texts(users), returnsLimit);
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
        Map<Item, Long> units = new HashMap<>();
        fresh.forEach(purchase -> purchase.quantities().forEach((sku, quantity) ->
                units.merge(new Item(purchase.sale(), sku), quantity, Long::sum)));
        Map<Item, Long> wanted = new TreeMap<>(units);
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
        List<Item> wanted = List.copyOf(items);
        LOCK.each(connection, row ->
                left.put(new Item(row.getString(1), row.getString(2)), row.getLong(3)),
                SqlArray.texts(wanted, Item::sale), SqlArray.texts(wanted, Item::sku));
        return left;
    }

    /** Whether all of this fitted under the totals. */
    private static boolean count(Connection connection, Map<Item, Long> sold)
            throws SQLException {
        List<Item> items = List.copyOf(sold.keySet());
        return COUNT.update(connection, SqlArray.texts(items, Item::sale),
                SqlArray.texts(items, Item::sku), SqlArray.longs(items, sold::get))
                == items.size();
    }
}
