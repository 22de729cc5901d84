package dev.rush.reconciliation.report;

import dev.rush.ledger.Order;
import dev.rush.ledger.OrderStatus;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Orders that no longer hold units in Redis: credited ones, and settled rejected ones. */
public final class FreedOrders {

    private static final Sql FREED = Sql.named("orders-freed", """
            SELECT i FROM unnest(?::uuid[]) AS i JOIN LATERAL (SELECT FROM steps s
                WHERE s.month = ? AND s.order_id = i AND s.kind IN ('credited', 'settled')
                LIMIT 1) AS freed ON true""");

    private FreedOrders() {
    }

    /** The freed ones among these orders of one month. */
    public static Set<UUID> of(Connection connection, int month, List<Order> page)
            throws SQLException {
        List<UUID> ids = page.stream().filter(order -> order.status().isEnded()
                || order.status() == OrderStatus.REJECTED).map(Order::id).toList();
        return ids.isEmpty() ? Set.of() : Set.copyOf(FREED.list(connection,
                row -> row.getObject(1, UUID.class), SqlArray.ids(ids), month));
    }
}
