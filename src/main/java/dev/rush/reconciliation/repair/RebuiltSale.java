package dev.rush.reconciliation.repair;

import dev.rush.http.Json;
import dev.rush.ledger.sql.Sql;
import dev.rush.redis.Partition;
import dev.rush.sale.SaleDefinition;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The ledger's data of a sale to be rebuilt, without its orders.
 *
 * @param seq partition → its highest known number
 */
record RebuiltSale(String definition, boolean paused, long closedAtMs, long preparedAtMs,
        long control, String release, int month, Map<Integer, Long> seq, List<Item> items) {

    record Item(String sku, long total, long limit, long version) {

        private static Item of(ResultSet row) throws SQLException {
            return new Item(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4));
        }
    }

    private static final Sql SALE = Sql.named("sale-rebuilt", """
            SELECT definition, paused, closed_at_ms,
                floor(extract(epoch FROM prepared_at) * 1000)::bigint, control,
                COALESCE(release, ''), month
            FROM sales WHERE sale = ? AND state = 'loaded'""");
    private static final Sql SEQ = Sql.named("last-seqs-of-sale", """
            SELECT p, GREATEST((SELECT seq FROM partitions l WHERE l.partition = p),
                (SELECT max(high) FROM losses l WHERE l.partition = p), 0)
            FROM sales, unnest(partitions) AS p WHERE sale = ?""");
    private static final Sql ITEMS = Sql.named("items-rebuilt",
            "SELECT sku, total, limit_per_user, version FROM items WHERE sale = ?");
    private static final Sql LOCK = Sql.named("lock-out-parking",
            "SELECT pg_advisory_xact_lock(hashtextextended('parking ' || ?, 0))");
    private static final Sql REFUSED_KEYS = Sql.named("refused-keys", """
            SELECT r.user_id || ' ' || r.key FROM returns r
            WHERE r.sale = ? AND r.key IS NOT NULL AND NOT EXISTS (SELECT FROM orders o
                WHERE o.month = ? AND o.sale = r.sale AND o.user_id = r.user_id
                    AND o.claim IN ('', r.key) AND o.key = r.key OFFSET 0)""");

    static RebuiltSale read(Connection connection, String sale) throws SQLException {
        return SALE.one(connection, row -> new RebuiltSale(row.getString(1), row.getBoolean(2),
                row.getLong(3), row.getLong(4), row.getLong(5), row.getString(6),
                row.getInt(7), seq(connection, sale), ITEMS.list(connection, Item::of, sale)),
                sale);
    }

    /**
     * "user key" of returns that arrived before their purchase. No other is parked before the
     * transaction ends.
     */
    static List<String> refusedKeys(Connection connection, String sale, int month)
            throws SQLException {
        LOCK.call(connection, sale);
        return REFUSED_KEYS.list(connection, key -> key.getString(1), sale, month);
    }

    private static Map<Integer, Long> seq(Connection connection, String sale)
            throws SQLException {
        Map<Integer, Long> seq = new HashMap<>();
        SEQ.each(connection, row -> seq.put(row.getInt(1), row.getLong(2)), sale);
        return seq;
    }

    /** The highest known number of a partition of the sale. */
    long seq(Partition partition) {
        return Objects.requireNonNull(seq.get(partition.index()),
                () -> "sale has no shard in partition " + partition);
    }

    /** The sale's terms and state in the format of Redis. */
    Map<String, String> conf(Json json) {
        SaleDefinition terms = json.read(
                definition.getBytes(StandardCharsets.UTF_8), SaleDefinition.class);
        Map<String, String> conf = new LinkedHashMap<>();
        conf.put("definition", definition);
        conf.put("opens_at", Long.toString(terms.opensAt()));
        conf.put("closes_at", Long.toString(terms.closesAt()));
        conf.put("paused", paused ? "1" : "0");
        conf.put("closed_at", Long.toString(closedAtMs));
        conf.put("guard", terms.duplicateGuard().text());
        conf.put("guard_window", Long.toString(terms.duplicateGuardWindow()));
        conf.put("payment_window", Long.toString(terms.paymentWindow()));
        conf.put("returns_limit", terms.returnRestoresLimit() ? "1" : "0");
        conf.put("orders_per_user", Long.toString(terms.ordersPerUser()));
        conf.put("unpaid_holds", Long.toString(terms.unpaidHolds()));
        conf.put("created_at", Long.toString(preparedAtMs));
        conf.put("control", Long.toString(control));
        conf.put("release", release);
        conf.put("month", Integer.toString(month));
        // It must differ from the number before the loss.
        conf.put("changes", Long.toString(System.currentTimeMillis()));
        return conf;
    }
}
