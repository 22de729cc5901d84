package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * While the orders and grabs of a partition that this ledger lost are stored again, new ones wait
 * in the partition's stream. It begins when the partition is found behind, and lasts five minutes
 * at most, so that something unreadable of one sale does not stop all sales of the partition.
 */
public final class Deferral {

    private static final Sql DEFERS = Sql.named("defers-new-orders",
            "SELECT 1 FROM partitions WHERE partition = ? AND defers");
    private static final Sql END = Sql.named("store-new-orders",
            "UPDATE partitions SET defers = false WHERE partition = ?");
    private static final Sql END_LATE = Sql.named("store-new-orders-late", """
            UPDATE partitions SET defers = false
            WHERE defers AND behind_since < now() - interval '5 minutes' RETURNING partition""");

    private Deferral() {
    }

    /** Whether new orders and grabs of a partition wait. */
    public static boolean isOn(Connection connection, int partition) throws SQLException {
        return DEFERS.exists(connection, partition);
    }

    /** Lets the writer store new orders and grabs of a partition again. */
    public static void end(Connection connection, int partition) throws SQLException {
        END.update(connection, partition);
    }

    /** Ends those that last too long, and returns their partitions. */
    public static List<Integer> endLate(Connection connection) throws SQLException {
        return END_LATE.list(connection, row -> row.getInt(1));
    }
}
