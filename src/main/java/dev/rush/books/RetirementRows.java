package dev.rush.books;

import dev.rush.order.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Which sales and rains the ledger lets go of Redis, and how far that has come. */
final class RetirementRows {

    private static final int MOST = 100;
    /** Until every pod knows that it is not a loss when Redis has no such sale. */
    private static final long KNOWN_MS = 3_000;

    private RetirementRows() {
    }

    /** What can be retired. */
    enum Kind {
        SALE("sale", "sales", "closesAt", "ANY (it.partitions)", """
                AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.sale = it.sale
                    AND o.status = 'reserved')
                AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.sale = it.sale
                    AND o.credit = 'pending')
                AND NOT EXISTS (SELECT 1 FROM returns r WHERE r.sale = it.sale
                    AND r.state IN ('parked', 'alarmed'))"""),
        RAIN("rain", "rains", "endsAt", "it.partition", "");

        private final String text;
        private final Sql over;
        private final Sql noted;
        private final Sql note;
        private final Sql retire;
        private final Sql keep;

        Kind(String text, String table, String end, String partitions, String open) {
            this.text = text;
            over = Sql.named(table + "-over", "SELECT it." + text
                    + " FROM " + table + " it WHERE it.state = 'loaded'"
                    + " AND LEAST(NULLIF(it.closed_at_ms, 0),"
                    + " NULLIF((it.definition::jsonb ->> '" + end + "')::bigint, 0))"
                    + " < extract(epoch FROM now()) * 1000 - ?"
                    + " AND NOT EXISTS (SELECT 1 FROM dead_letters d WHERE d." + text + " = it."
                    + text + " AND d.state = 'waiting')"
                    + " AND NOT EXISTS (SELECT 1 FROM losses l WHERE l.partition = "
                    + partitions + " AND (l.lost IS NULL OR l.restored_at IS NULL)) "
                    + open + " ORDER BY random() LIMIT " + MOST);
            noted = Sql.named(table + "-retiring", "SELECT " + text
                    + " FROM " + table + " WHERE state = 'retiring'"
                    + " AND retired_at < now() - ? * interval '1 ms'"
                    + " ORDER BY random() LIMIT " + MOST);
            note = Sql.named("note-retiring-" + text, "UPDATE " + table
                    + " SET state = 'retiring', retired_at = now()"
                    + " WHERE " + text + " = ? AND state = 'loaded'");
            retire = Sql.named("retire-" + text, "UPDATE " + table + " SET state = 'retired'"
                    + " WHERE " + text + " = ? AND state = 'retiring'");
            keep = Sql.named("keep-" + text, "UPDATE " + table
                    + " SET state = 'loaded', retired_at = NULL"
                    + " WHERE " + text + " = ? AND state = 'retiring'");
        }

        /** What it is called, and the column of its id. */
        String text() {
            return text;
        }
    }

    /** What has been over for so long, and of which the ledger knows nothing open. */
    static List<String> over(Connection connection, Kind kind, long ms) throws SQLException {
        return kind.over.list(connection, row -> row.getString(1), ms);
    }

    /** What was noted long enough ago. */
    static List<String> noted(Connection connection, Kind kind) throws SQLException {
        return kind.noted.list(connection, row -> row.getString(1), KNOWN_MS);
    }

    /** Notes that its keys are to be removed from Redis. */
    static int note(Connection connection, Kind kind, String id) throws SQLException {
        return kind.note.update(connection, id);
    }

    /** Notes that they are removed, or that they stay. */
    static int end(Connection connection, Kind kind, String id, boolean done)
            throws SQLException {
        return (done ? kind.retire : kind.keep).update(connection, id);
    }
}
