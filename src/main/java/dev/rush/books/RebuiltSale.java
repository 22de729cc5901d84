package dev.rush.books;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the ledger knows of a sale that is to be rebuilt, besides its orders.
 *
 * @param seq         by partition, the highest number of it that anybody knows of
 * @param refusedKeys "user key" of returns that came before their purchase
 */
record RebuiltSale(String definition, boolean paused, long closedAtMs, long preparedAtMs,
        Map<Integer, Long> seq, List<Item> items, List<String> refusedKeys) {

    record Item(String sku, long total, long limit, long version) {
    }

    static RebuiltSale read(Connection connection, String sale) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT definition, paused, closed_at_ms,
                    (extract(epoch FROM prepared_at) * 1000)::bigint
                FROM sales WHERE sale = ? AND state = 'loaded'""")) {
            select.setString(1, sale);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return new RebuiltSale(row.getString(1), row.getBoolean(2),
                        row.getLong(3), row.getLong(4), seq(connection, sale),
                        items(connection, sale), refusedKeys(connection, sale));
            }
        }
    }

    private static Map<Integer, Long> seq(Connection connection, String sale)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT p, GREATEST((SELECT max(seq) FROM leases l WHERE l.partition = p),
                    (SELECT max(high) FROM losses l WHERE l.partition = p), 0)
                FROM sales, unnest(partitions) AS p WHERE sale = ?""")) {
            select.setString(1, sale);
            Map<Integer, Long> seq = new HashMap<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    seq.put(row.getInt(1), row.getLong(2));
                }
            }
            return seq;
        }
    }

    private static List<Item> items(Connection connection, String sale) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT sku, total, limit_per_user, version FROM items WHERE sale = ?""")) {
            select.setString(1, sale);
            List<Item> items = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    items.add(new Item(row.getString(1), row.getLong(2), row.getLong(3),
                            row.getLong(4)));
                }
            }
            return items;
        }
    }

    private static List<String> refusedKeys(Connection connection, String sale)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT user_id || ' ' || key FROM returns r WHERE sale = ? AND key IS NOT NULL
                    AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.sale = r.sale
                        AND o.user_id = r.user_id AND o.key = r.key)""")) {
            select.setString(1, sale);
            List<String> keys = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    keys.add(row.getString(1));
                }
            }
            return keys;
        }
    }
}
