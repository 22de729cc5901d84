package dev.rush.ledger.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Takes the tables of a month out of the ledger, on a connection without a transaction, so that no
 * reader or writer waits for it and it may take longer than a transaction. If it is interrupted
 * anywhere, repeating it resumes.
 */
public final class MonthTables {

    private static final int TIMEOUT_MS = 600_000;
    private static final Sql ATTACHED = Sql.named("attached-tables", """
            SELECT p.relname, i.inhdetachpending FROM pg_inherits i
            JOIN pg_class p ON p.oid = i.inhparent JOIN pg_class c ON c.oid = i.inhrelid
            WHERE p.relnamespace = 'public'::regnamespace AND p.relkind = 'p'
                AND c.relname = p.relname || '_' || ?::integer ORDER BY 1""");
    private static final Sql PARENTS = Sql.named("partitioned-tables", """
            SELECT relname FROM pg_class WHERE relkind = 'p'
                AND relnamespace = 'public'::regnamespace ORDER BY 1""");
    private static final Sql TAKE = Sql.named("archive-table", "SELECT archive.take(?, ?)");
    private static final Sql TAKE_REST = Sql.named("archive-rest",
            "SELECT archive.take_rest(?)");
    private static final Sql ARCHIVED = Sql.named("archived-tables",
            "SELECT name, rows FROM archive.tables WHERE month = ? ORDER BY name");
    private static final Sql KNOWN = Sql.named("archived-months",
            "SELECT DISTINCT month FROM archive.tables ORDER BY 1");

    private MonthTables() {
    }

    /** Whether the ledger or its archive has tables of a month. */
    public static boolean exist(Connection connection, int month) throws SQLException {
        return ATTACHED.exists(connection, month) || ARCHIVED.exists(connection, month);
    }

    /** Detaches all tables of a month and moves them into the archive. */
    public static void archive(Connection connection, int month) throws SQLException {
        int before = connection.getNetworkTimeout();
        connection.setNetworkTimeout(Runnable::run, TIMEOUT_MS);
        try {
            for (Map.Entry<String, Boolean> table : attached(connection, month).entrySet()) {
                detach(connection, table.getKey(), month, table.getValue());
            }
            for (String parent : PARENTS.list(connection, row -> row.getString(1))) {
                TAKE.call(connection, parent, month);
            }
            TAKE_REST.call(connection, month);
        } finally {
            connection.setNetworkTimeout(Runnable::run, before);
        }
    }

    /** The attached tables: parent → whether detaching was begun and interrupted. */
    private static Map<String, Boolean> attached(Connection connection, int month)
            throws SQLException {
        Map<String, Boolean> attached = new LinkedHashMap<>();
        ATTACHED.each(connection, row -> attached.put(row.getString(1), row.getBoolean(2)),
                month);
        return attached;
    }

    /** Statements that PostgreSQL does not allow in a transaction take no parameters either. */
    private static void detach(Connection connection, String parent, int month, boolean begun)
            throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ALTER TABLE " + parent + " DETACH PARTITION " + parent + "_" + month
                    + (begun ? " FINALIZE" : " CONCURRENTLY"));
        }
    }

    /** The tables of a month in the archive, by name, with their row counts. */
    public static Map<String, Long> archived(Connection connection, int month)
            throws SQLException {
        Map<String, Long> archived = new LinkedHashMap<>();
        ARCHIVED.each(connection, row -> archived.put(row.getString(1), row.getLong(2)), month);
        return archived;
    }

    /** The months in the archive. */
    public static List<Integer> archived(Connection connection) throws SQLException {
        return KNOWN.list(connection, row -> row.getInt(1));
    }
}
