package dev.rush.reconciliation.repair;

import dev.rush.ledger.Order;
import dev.rush.ledger.OrderStatus;
import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Orders that could not be stored: those being retried, and dead letters. Redis accepted them, so
 * they hold their units.
 */
final class FailedOrders {

    /** Only those with all fields of an order. Whether they are paid is unknown. */
    private static final String COMPLETE = """
            SELECT r.order_id::uuid, r.subject, r.fields ->> 'user', r.fields ->> 'key',
                r.fields ->> 'digest', r.fields ->> 'lines', r.fields ->> 'lefts',
                (r.fields ->> 'at')::bigint, (r.fields ->> 'pay_by')::bigint, r.partition, r.seq
            FROM retries r WHERE r.state <> 'replayed' AND r.kind = 'purchase'
                AND r.order_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
                AND r.fields ->> 'at' ~ '^[0-9]{1,16}$'
                AND r.fields ->> 'pay_by' ~ '^[0-9]{1,16}$'
                AND r.fields ->> 'user' ~ '^[!-~]{1,128}$'
                AND r.fields ->> 'key' ~ '^[!-~]{0,128}$'
                AND r.fields ->> 'digest' ~ '^[!-~]+$' AND r.fields ->> 'lefts' ~ '^[0-9,]+$'
                AND r.fields ->> 'lines' ~ '^[A-Za-z0-9._-]+:[0-9]+(,[A-Za-z0-9._-]+:[0-9]+)*$'
                AND\s""";
    private static final Sql OF_SALE = Sql.named("failed-of-sale", COMPLETE + "r.subject = ?");
    private static final Sql OF_PARTITION =
            Sql.named("failed-of-partition", COMPLETE + "r.partition = ? AND r.seq > ?");
    private static final Sql IDS = Sql.named("failed-ids", """
            SELECT order_id FROM retries
            WHERE subject = ? AND kind = ? AND state <> 'replayed' AND order_id IS NOT NULL""");

    private FailedOrders() {
    }

    static List<Order> ofSale(Connection connection, String sale) throws SQLException {
        return OF_SALE.list(connection, FailedOrders::of, sale);
    }

    /** The orders of a partition with numbers above this one. */
    static List<Order> ofPartition(Connection connection, int partition, long seq)
            throws SQLException {
        return OF_PARTITION.list(connection, FailedOrders::of, partition, seq);
    }

    /** The ids of all failed orders or grabs of a sale or rain, complete or not. */
    static Set<String> ids(Connection connection, String kind, String subject)
            throws SQLException {
        return Set.copyOf(IDS.list(connection, row -> row.getString(1), subject, kind));
    }

    private static Order of(ResultSet row) throws SQLException {
        String id = row.getString(1);
        String key = row.getString(4);
        return new Order(UUID.fromString(id), 0, row.getString(2), row.getString(3),
                key.isEmpty() || key.equals(id) ? null : key, row.getString(5), row.getString(6),
                row.getString(7), row.getLong(8), row.getLong(9), row.getInt(10),
                row.getLong(11), 0, OrderStatus.CONFIRMED, 0, null);
    }
}
