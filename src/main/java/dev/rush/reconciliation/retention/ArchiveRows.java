package dev.rush.reconciliation.retention;

import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Checks what keeps a month in the ledger, and marks it as archived. */
final class ArchiveRows {

    private static final String NOT_RETIRED = " AND state NOT IN ('retired', 'archived')";
    private static final Sql BLOCKERS = Sql.named("open-in-month", "SELECT sale FROM sales WHERE"
            + " month = ?" + NOT_RETIRED
            + " UNION SELECT rain FROM rains WHERE month = ?" + NOT_RETIRED + """
             UNION SELECT sale FROM reservations WHERE month = ?
            UNION SELECT sale FROM credits WHERE month = ?
            UNION SELECT r.sale FROM returns r JOIN sales s ON s.sale = r.sale
                WHERE s.month = ? AND r.state IN ('parked', 'alarmed')
            UNION SELECT sale FROM sales
                WHERE month = ? AND retired_at > now() - interval '1 minute'
            UNION SELECT rain FROM rains
                WHERE month = ? AND retired_at > now() - interval '1 minute'
            UNION SELECT 'partition ' || partition FROM partitions WHERE behind_since IS NOT NULL
            ORDER BY 1 LIMIT 20""");
    private static final String ARCHIVE = " SET state = 'archived',"
            + " changed = pg_current_xact_id() WHERE month = ? AND state = 'retired'";
    private static final Sql ARCHIVE_SALES =
            Sql.named("archive-sales", "UPDATE sales" + ARCHIVE);
    private static final Sql ARCHIVE_RAINS =
            Sql.named("archive-rains", "UPDATE rains" + ARCHIVE);
    private static final Sql UNMARKED = Sql.named("unmarked-in-month", """
            SELECT 1 FROM sales WHERE month = ? AND state <> 'archived'
            UNION ALL SELECT 1 FROM rains WHERE month = ? AND state <> 'archived' LIMIT 1""");
    private static final Sql IS_OVER = Sql.named("is-month-over",
            "SELECT month_of(now()) > ?");

    private ArchiveRows() {
    }

    /** Whether a month is over, so that nothing more can be prepared in it. */
    static boolean isOver(Connection connection, int month) throws SQLException {
        return IS_OVER.one(connection, row -> row.getBoolean(1), month);
    }

    /**
     * Up to 20 of a month's sales and rains that are not retired or have something open, or were
     * retired less than a minute ago, because a transaction that began before may last as long; and
     * of the partitions that are behind Redis, which may have a sale of the month that the ledger
     * has lost.
     */
    static List<String> blockers(Connection connection, int month) throws SQLException {
        return BLOCKERS.list(connection, row -> row.getString(1),
                month, month, month, month, month, month, month);
    }

    /** Marks that the orders and grabs of a month's retired sales and rains leave the ledger. */
    static void mark(Connection connection, int month) throws SQLException {
        ARCHIVE_SALES.update(connection, month);
        ARCHIVE_RAINS.update(connection, month);
    }

    /** Whether all of a month's sales and rains are marked. */
    static boolean isMarked(Connection connection, int month) throws SQLException {
        return !UNMARKED.exists(connection, month, month);
    }
}
