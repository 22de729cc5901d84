package dev.rush.order;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/**
 * An order as the ledger has it. Times are Redis's milliseconds, 0 for none; lines and lefts are
 * spelled as in Redis.
 */
public record OrderRow(UUID order, String sale, String user, String key, String status,
        String lines, String lefts, long placedAt, long payBy, int partition) {

    /** The columns that {@link #of} reads, in its order. */
    static final String COLUMNS = "id, sale, user_id, key, status, lines, lefts, placed_at_ms, "
            + "pay_by_ms, partition";

    static OrderRow of(ResultSet row) throws SQLException {
        return new OrderRow(row.getObject(1, UUID.class), row.getString(2), row.getString(3),
                row.getString(4), row.getString(5), row.getString(6), row.getString(7),
                row.getLong(8), row.getLong(9), row.getInt(10));
    }
}
