package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * While the orders and grabs of a partition that this ledger lost are stored again, all new ones
 * wait in its stream, and in those of partitions with a shard of one of its sales. It begins when
 * the partition is found behind, and lasts about five minutes at most, so that something unreadable
 * does not stop other sales for long.
 */
public final class Deferral {

    /** Whether new orders and grabs of a row {@code p} of {@code partitions} wait. */
    public static final String WAITS = """
            (p.defers OR EXISTS (SELECT FROM partitions WHERE defers)
                AND EXISTS (SELECT FROM sales s
                    WHERE s.partitions @> ARRAY[p.partition] AND s.state = 'loaded'
                        AND s.partitions && (SELECT array_agg(d.partition) FROM partitions d
                            WHERE d.defers)))""";
    private static final Sql IS_ON = Sql.named("defers-new-orders",
            "SELECT 1 FROM partitions WHERE partition = ? AND defers");
    private static final Sql WAIT = Sql.named("new-orders-wait",
            "SELECT 1 FROM partitions p WHERE p.partition = ? AND " + WAITS);
    private static final Sql ANY_BEHIND = Sql.named("is-any-behind",
            "SELECT 1 FROM partitions WHERE behind_since IS NOT NULL LIMIT 1");
    private static final Sql END = Sql.named("store-new-orders",
            "UPDATE partitions SET defers = false WHERE partition = ?");
    private static final Sql END_LATE = Sql.named("store-new-orders-late", """
            UPDATE partitions SET defers = false WHERE partition IN (
                SELECT partition FROM partitions
                WHERE defers AND behind_since < now() - interval '5 minutes'
                FOR NO KEY UPDATE SKIP LOCKED)
            RETURNING partition""");

    private Deferral() {
    }

    /** Whether lost orders and grabs of this partition are to be stored before new ones. */
    public static boolean isOn(Connection connection, int partition) throws SQLException {
        return IS_ON.exists(connection, partition);
    }

    /** Whether new orders and grabs of a partition wait, for this or another partition. */
    public static boolean waits(Connection connection, int partition) throws SQLException {
        return WAIT.exists(connection, partition);
    }

    /**
     * Whether any partition is behind, or was not compared yet. Then this ledger may lack a sale
     * that has orders in other partitions.
     */
    public static boolean isAnyBehind(Connection connection) throws SQLException {
        return ANY_BEHIND.exists(connection);
    }

    /** Ends it for a partition, whose lost orders and grabs are stored. */
    public static void end(Connection connection, int partition) throws SQLException {
        END.update(connection, partition);
    }

    /** Ends those that last too long, and returns their partitions. */
    public static List<Integer> endLate(Connection connection) throws SQLException {
        return END_LATE.list(connection, row -> row.getInt(1));
    }
}
