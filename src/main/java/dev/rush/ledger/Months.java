package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** The months by which orders and grabs are partitioned, as yyyymm of their sale's preparation. */
public final class Months {

    /** Number of months created ahead, so that a pod that prepares a sale finds its month. */
    private static final int AHEAD = 2;
    private static final Sql ENSURE = Sql.named("ensure-months", """
            SELECT count(*) FILTER (WHERE ensure_month(month_of(
                (date_trunc('month', now() AT TIME ZONE 'UTC') + ahead * interval '1 month')
                    AT TIME ZONE 'UTC')))
            FROM generate_series(0, ?::integer) AS ahead""");
    private static final Sql ENSURE_ONE =
            Sql.named("ensure-month", "SELECT ensure_month(?)");
    private static final Sql LIVE = Sql.named("live-months", """
            SELECT month FROM sales WHERE state IN ('preparing', 'loaded')
            UNION SELECT month FROM sales WHERE state = 'retiring'
            UNION SELECT month FROM rains WHERE state IN ('preparing', 'loaded')
            UNION SELECT month FROM rains WHERE state = 'retiring'
            ORDER BY 1""");
    private static final Sql KEPT = Sql.named("kept-months", """
            SELECT substring(c.relname FROM '[0-9]+$')::integer
            FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'steps'::regclass ORDER BY 1""");

    private static final int HUNDRED = 100;

    private Months() {
    }

    /** A month as clients see it, for example 2026-10. */
    public static String text(int month) {
        return "%d-%02d".formatted(month / HUNDRED, month % HUNDRED);
    }

    /**
     * Creates the tables of this month and the next two, unless they exist. Attaching them blocks
     * no reader or writer.
     *
     * @return number of months created
     */
    public static int ensure(Connection connection) throws SQLException {
        return ENSURE.one(connection, row -> row.getInt(1), AHEAD);
    }

    /** Creates the tables of a month, unless they exist. */
    static void ensure(Connection connection, int month) throws SQLException {
        ENSURE_ONE.call(connection, month);
    }

    /** The months of all sales and rains that are not retired yet. */
    public static List<Integer> live(Connection connection) throws SQLException {
        return LIVE.list(connection, row -> row.getInt(1));
    }

    /** All months that are not archived. */
    public static List<Integer> kept(Connection connection) throws SQLException {
        return KEPT.list(connection, row -> row.getInt(1));
    }
}
