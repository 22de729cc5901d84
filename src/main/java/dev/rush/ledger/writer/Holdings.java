package dev.rush.ledger.writer;

import dev.rush.ledger.Lines;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import dev.rush.ledger.writer.StreamEntry.Purchase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The earlier orders of buyers: in sales with limits all of them, in others only those under the
 * keys of the new orders. So without limits, an order without a key that arrives after its
 * repetition is not refused. A user's orders of a sale are in one partition, which the transaction
 * has locked, so no other transaction adds to what is read.
 */
final class Holdings {

    /** A buyer's first order comes first, as its claim is empty. */
    private static final Sql READ = Sql.named("holdings-of-buyers", """
            SELECT u.user_id, o.key, o.lines, o.kind
            FROM unnest(?::text[]) AS u (user_id)
            JOIN LATERAL (SELECT COALESCE(o.key, o.id::text) AS key, o.lines,
                    (SELECT s.kind FROM steps s WHERE s.month = ? AND s.order_id = o.id
                        AND s.kind NOT IN ('credited', 'settled')
                    ORDER BY s.step DESC LIMIT 1) AS kind
                FROM orders o WHERE o.month = ? AND o.sale = ? AND o.user_id = u.user_id
                ORDER BY o.claim LIMIT ?) o ON true""");
    /** Without limits a claim is a key. */
    private static final Sql TAKEN = Sql.named("taken-keys", """
            SELECT k.user_id, k.key FROM unnest(?::text[], ?::text[]) AS k (user_id, key)
            JOIN LATERAL (SELECT 1 FROM orders o WHERE o.month = ? AND o.sale = ?
                AND o.user_id = k.user_id AND o.claim = k.key LIMIT 1) o ON true""");
    /** A client that sent no key repeats its purchase under the order's id. */
    private static final Sql TAKEN_IDS = Sql.named("taken-ids", """
            SELECT o.user_id, o.id::text FROM unnest(?::uuid[]) AS k (id)
            JOIN LATERAL (SELECT * FROM orders o WHERE o.month = ? AND o.id = k.id LIMIT 1) o
                ON o.sale = ? AND o.key IS NULL""");
    private static final Set<String> ENDED = Set.of("expired", "returned");

    private final Map<Buyer, Held> held = new HashMap<>();

    private record Buyer(String sale, String user) {
    }

    /** What one buyer has in one sale: most have a single order, which is not copied. */
    static final class Held {

        private Map<String, Long> units = Map.of();
        private Set<String> keys = Set.of();
        private long orders;

        long orders() {
            return orders;
        }

        long units(String sku) {
            return units.getOrDefault(sku, 0L);
        }

        boolean hasKey(String key) {
            return keys.contains(key);
        }

        /**
         * Counts an order; if its units were given back, it counts only as an order.
         *
         * @param key the client's, or the order's id
         */
        void add(String key, Map<String, Long> quantities, boolean counts) {
            orders++;
            addKey(key);
            if (counts) {
                units = units.isEmpty() ? quantities : sum(units, quantities);
            }
        }

        void addKey(String key) {
            if (keys.isEmpty()) {
                keys = Set.of(key);
            } else {
                keys = new HashSet<>(keys);
                keys.add(key);
            }
        }

        private static Map<String, Long> sum(Map<String, Long> some, Map<String, Long> more) {
            Map<String, Long> sum = new HashMap<>(some);
            more.forEach((sku, quantity) -> sum.merge(sku, quantity, Long::sum));
            return sum;
        }
    }

    /** The holdings of a buyer; empty if no order was found. */
    Held of(String sale, String user) {
        return held.computeIfAbsent(new Buyer(sale, user), buyer -> new Held());
    }

    /**
     * Reads the earlier orders of these buyers: in a sale with limits, at most one more per buyer
     * than it allows; without limits, only those under the keys of these purchases.
     */
    void read(Connection connection, Collection<Purchase> purchases, Map<String, Terms> terms)
            throws SQLException {
        Map<String, List<Purchase>> bySale = new HashMap<>();
        purchases.forEach(purchase -> bySale.computeIfAbsent(
                purchase.sale(), sale -> new ArrayList<>()).add(purchase));
        for (Map.Entry<String, List<Purchase>> of : bySale.entrySet()) {
            Terms sale = Terms.of(terms, of.getValue().get(0));
            if (sale.isLimited()) {
                orders(connection, of.getKey(), sale, of.getValue());
            } else {
                keys(connection, of.getKey(), sale, of.getValue());
            }
        }
    }

    private void orders(Connection connection, String sale, Terms terms, List<Purchase> of)
            throws SQLException {
        List<String> users = of.stream().map(Purchase::user).distinct().toList();
        READ.each(connection, row -> of(sale, row.getString(1)).add(row.getString(2),
                Lines.quantities(row.getString(3)),
                !terms.returnsLimit() || !ENDED.contains(String.valueOf(row.getString(4)))),
                SqlArray.texts(users), terms.month(), terms.month(), sale,
                terms.ordersPerUser() + 1);
    }

    private void keys(Connection connection, String sale, Terms terms, List<Purchase> of)
            throws SQLException {
        List<Purchase> keyed = of.stream().filter(purchase -> purchase.key() != null).toList();
        if (!keyed.isEmpty()) {
            TAKEN.each(connection,
                    row -> of(sale, row.getString(1)).addKey(row.getString(2)),
                    SqlArray.texts(keyed, Purchase::user), SqlArray.texts(keyed, Purchase::key),
                    terms.month(), sale);
        }
        List<UUID> ids = keyed.stream().filter(Purchase::mayRepeatAnId)
                .map(purchase -> UUID.fromString(purchase.keyOrId())).toList();
        if (!ids.isEmpty()) {
            TAKEN_IDS.each(connection,
                    row -> of(sale, row.getString(1)).addKey(row.getString(2)),
                    SqlArray.ids(ids), terms.month(), sale);
        }
    }
}
