package dev.rush.books;

import dev.rush.redis.Partition;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Rejected orders hold their units in Redis although nobody gets them. Where the deduction of
 * another order was lost, theirs stands in for it.
 */
final class Settlement {

    private Settlement() {
    }

    private record Rejected(UUID id, long units) {
    }

    /**
     * Settles rejected orders of one item alone in one partition, as long as they fit.
     *
     * @param most units whose deduction was lost
     * @return units of those settled
     */
    static long settle(Connection connection, String sale, Partition partition, String sku,
            long most) throws SQLException {
        List<Rejected> rejected = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT id, split_part(lines, ':', 2)::bigint FROM orders
                WHERE sale = ? AND status = 'rejected' AND credit IS NULL AND partition = ?
                    AND split_part(lines, ':', 1) = ? AND lines NOT LIKE '%,%'
                ORDER BY id FOR UPDATE""")) {
            select.setString(1, sale);
            select.setInt(2, partition.index());
            select.setString(3, sku);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    rejected.add(new Rejected(row.getObject(1, UUID.class), row.getLong(2)));
                }
            }
        }
        long settled = 0;
        List<String> ids = new ArrayList<>();
        for (Rejected order : rejected) {
            if (settled + order.units <= most) {
                settled += order.units;
                ids.add(order.id.toString());
            }
        }
        mark(connection, ids);
        return settled;
    }

    /** Settles all rejected orders of a sale whose deductions Redis has lost altogether. */
    static void settleAll(Connection connection, String sale) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                UPDATE orders SET credit = 'done'
                WHERE sale = ? AND status = 'rejected' AND credit IS NULL""")) {
            update.setString(1, sale);
            update.executeUpdate();
        }
    }

    private static void mark(Connection connection, List<String> ids) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE orders SET credit = 'done' WHERE id = ANY (?::uuid[])")) {
            update.setArray(1, connection.createArrayOf("text", ids.toArray()));
            update.executeUpdate();
        }
    }

    /** The version of an item's total. */
    static long version(Connection connection, String sale, String sku) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT version FROM items WHERE sale = ? AND sku = ?")) {
            select.setString(1, sale);
            select.setString(2, sku);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }
}
