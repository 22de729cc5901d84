package dev.rush.books;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
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
        private final String table;
        private final String end;
        private final String partitions;
        private final String open;

        Kind(String text, String table, String end, String partitions, String open) {
            this.text = text;
            this.table = table;
            this.end = end;
            this.partitions = partitions;
            this.open = open;
        }

        /** What it is called, and the column of its id. */
        String text() {
            return text;
        }
    }

    /** What has been over for so long, and of which the ledger knows nothing open. */
    static List<String> over(Connection connection, Kind kind, long ms) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT it." + kind.text
                + " FROM " + kind.table + " it WHERE it.state = 'loaded'"
                + " AND LEAST(NULLIF(it.closed_at_ms, 0),"
                + " NULLIF((it.definition::jsonb ->> '" + kind.end + "')::bigint, 0))"
                + " < extract(epoch FROM now()) * 1000 - ?"
                + " AND NOT EXISTS (SELECT 1 FROM dead_letters d WHERE d." + kind.text + " = it."
                + kind.text + " AND d.state = 'waiting')"
                + " AND NOT EXISTS (SELECT 1 FROM losses l WHERE l.partition = "
                + kind.partitions
                + " AND (l.lost IS NULL OR l.restored_at IS NULL)) "
                + kind.open + " ORDER BY random() LIMIT " + MOST)) {
            select.setLong(1, ms);
            return ids(select);
        }
    }

    /** What was noted long enough ago. */
    static List<String> noted(Connection connection, Kind kind) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT " + kind.text
                + " FROM " + kind.table + " WHERE state = 'retiring'"
                + " AND retired_at < now() - ? * interval '1 ms'"
                + " ORDER BY random() LIMIT " + MOST)) {
            select.setLong(1, KNOWN_MS);
            return ids(select);
        }
    }

    private static List<String> ids(PreparedStatement select) throws SQLException {
        List<String> ids = new ArrayList<>();
        try (ResultSet row = select.executeQuery()) {
            while (row.next()) {
                ids.add(row.getString(1));
            }
        }
        return ids;
    }

    /** Notes that its keys are to be removed from Redis. */
    static Void note(Connection connection, Kind kind, String id) throws SQLException {
        return update(connection, "UPDATE " + kind.table + " SET state = 'retiring',"
                + " retired_at = now() WHERE " + kind.text + " = ? AND state = 'loaded'", id);
    }

    /** Notes that they are removed, or that they stay. */
    static Void end(Connection connection, Kind kind, String id, boolean done)
            throws SQLException {
        return update(connection, "UPDATE " + kind.table + (done ? " SET state = 'retired'"
                : " SET state = 'loaded', retired_at = NULL")
                + " WHERE " + kind.text + " = ? AND state = 'retiring'", id);
    }

    private static Void update(Connection connection, String text, String id)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(text)) {
            update.setString(1, id);
            update.executeUpdate();
            return null;
        }
    }
}
