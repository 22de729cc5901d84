package dev.rush.books;

import dev.rush.order.sql.Sql;
import dev.rush.order.sql.SqlArray;
import dev.rush.redis.Partition;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Rejected orders hold their units in Redis although nobody gets them, until they are settled:
 * where the deduction of another order was lost, so that theirs stands in for it, and where Redis
 * has sold more than the ledger's total. An order is settled as a whole; units that it held beyond
 * what was lacking are free from then on, and a repair releases them.
 */
final class Settlement {

    private static final Sql REJECTED = Sql.named("rejected-orders-of-item", """
            SELECT id, lines FROM orders
            WHERE sale = ? AND status = 'rejected' AND credit IS NULL AND partition = ?
                AND strpos(',' || lines, ',' || ? || ':') > 0
            ORDER BY strpos(lines, ',') > 0, id LIMIT ? FOR UPDATE""");
    private static final Sql SETTLE_ALL = Sql.named("settle-rejected-orders-of-sale", """
            UPDATE orders SET credit = 'done'
            WHERE sale = ? AND status = 'rejected' AND credit IS NULL""");
    private static final Sql SETTLE = Sql.named("settle-orders",
            "UPDATE orders SET credit = 'done' WHERE id = ANY (?::uuid[])");
    private static final Sql VERSION = Sql.named("version-of-item",
            "SELECT version FROM items WHERE sale = ? AND sku = ?");

    /** Orders that one transaction settles; there may be as many as a sale has. */
    private static final int PART = 5_000;

    private Settlement() {
    }

    private record Rejected(UUID id, Map<String, Long> units) {
    }

    /** Whether an order of so many units is settled too, after so many others. */
    private interface Choice {
        boolean takes(long settled, long units);
    }

    /**
     * Settles rejected orders of an item in one partition, as long as they fit; those of this item
     * alone first.
     *
     * @param most units whose deduction was lost
     * @return units by item of all orders that were settled
     */
    static Map<String, Long> standIn(Connection connection, String sale, Partition partition,
            String sku, long most) throws SQLException {
        return settle(connection, sale, partition, sku,
                (settled, units) -> settled + units <= most);
    }

    /**
     * Settles rejected orders of an item in one partition until they have freed enough of it, or
     * none is left; those of this item alone first.
     *
     * @param least units that were sold beyond the ledger's total
     * @return units by item of all orders that were settled
     */
    static Map<String, Long> free(Connection connection, String sale, Partition partition,
            String sku, long least) throws SQLException {
        return settle(connection, sale, partition, sku, (settled, units) -> settled < least);
    }

    private static Map<String, Long> settle(Connection connection, String sale,
            Partition partition, String sku, Choice choice) throws SQLException {
        List<Rejected> rejected = REJECTED.list(connection,
                row -> new Rejected(row.getObject(1, UUID.class),
                        Quantities.of(row.getString(2))),
                sale, partition.index(), sku, PART);
        Map<String, Long> settled = new HashMap<>();
        List<UUID> ids = new ArrayList<>();
        for (Rejected order : rejected) {
            if (choice.takes(settled.getOrDefault(sku, 0L), order.units.get(sku))) {
                order.units.forEach((each, units) -> settled.merge(each, units, Long::sum));
                ids.add(order.id);
            }
        }
        SETTLE.update(connection, SqlArray.ids(ids));
        return settled;
    }

    /** Settles all rejected orders of a sale whose deductions Redis has lost altogether. */
    static void settleAll(Connection connection, String sale) throws SQLException {
        SETTLE_ALL.update(connection, sale);
    }

    /** The version of an item's total. */
    static long version(Connection connection, String sale, String sku) throws SQLException {
        Long version = VERSION.first(connection, row -> row.getLong(1), sale, sku);
        return version != null ? version : 0;
    }
}
