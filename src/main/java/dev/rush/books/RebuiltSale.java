package dev.rush.books;

import dev.rush.order.sql.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the ledger knows of a sale that is to be rebuilt, besides its orders.
 *
 * @param seq         by partition, the highest number of it that anybody knows of
 */
record RebuiltSale(String definition, boolean paused, long closedAtMs, long preparedAtMs,
        Map<Integer, Long> seq, List<Item> items) {

    record Item(String sku, long total, long limit, long version) {

        private static Item of(ResultSet row) throws SQLException {
            return new Item(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4));
        }
    }

    private static final Sql SALE = Sql.named("sale-to-rebuild", """
            SELECT definition, paused, closed_at_ms,
                (extract(epoch FROM prepared_at) * 1000)::bigint
            FROM sales WHERE sale = ? AND state = 'loaded'""");
    private static final Sql SEQ = Sql.named("sequence-numbers-of-sale", """
            SELECT p, GREATEST((SELECT max(seq) FROM leases l WHERE l.partition = p),
                (SELECT max(high) FROM losses l WHERE l.partition = p), 0)
            FROM sales, unnest(partitions) AS p WHERE sale = ?""");
    private static final Sql ITEMS = Sql.named("items-to-rebuild",
            "SELECT sku, total, limit_per_user, version FROM items WHERE sale = ?");
    private static final Sql LOCK = Sql.named("lock-out-parking",
            "SELECT pg_advisory_xact_lock(hashtextextended('parking ' || ?, 0))");
    private static final Sql REFUSED_KEYS = Sql.named("refused-keys-of-sale", """
            SELECT user_id || ' ' || key FROM returns r WHERE sale = ? AND key IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.sale = r.sale
                    AND o.user_id = r.user_id AND o.key = r.key)""");

    static RebuiltSale read(Connection connection, String sale) throws SQLException {
        return SALE.one(connection, row -> new RebuiltSale(row.getString(1), row.getBoolean(2),
                row.getLong(3), row.getLong(4), seq(connection, sale),
                ITEMS.list(connection, Item::of, sale)), sale);
    }

    /**
     * "user key" of returns that came before their purchase. No other is parked before the
     * transaction ends.
     */
    static List<String> refusedKeys(Connection connection, String sale) throws SQLException {
        LOCK.call(connection, sale);
        return REFUSED_KEYS.list(connection, key -> key.getString(1), sale);
    }

    private static Map<Integer, Long> seq(Connection connection, String sale)
            throws SQLException {
        Map<Integer, Long> seq = new HashMap<>();
        SEQ.each(connection, row -> seq.put(row.getInt(1), row.getLong(2)), sale);
        return seq;
    }
}
