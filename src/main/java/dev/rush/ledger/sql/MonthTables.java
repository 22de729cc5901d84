package dev.rush.ledger.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Takes the tables of a month out of the ledger, on a connection without a transaction, because
 * PostgreSQL does not detach concurrently in one. If it is interrupted anywhere, repeating it
 * resumes. While a statement waits for a lock, readers of the journal see no new commit. So this
 * begins none while others lock the table, cancels one that waits for a lock taken just then, and
 * tries it again.
 */
public final class MonthTables {

    private static final int TIMEOUT_MS = 600_000;
    private static final long POLL_MS = 100;
    /** Detaching reads no rows; the functions that move a table have a limit of their own. */
    private static final int DETACH_LIMIT_S = 2;
    /** After a statement has waited in vain. */
    private static final long PAUSE_MS = 5_000;
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String QUERY_CANCELED = "57014";
    private static final Sql EXISTING = Sql.named("tables-of-month", """
            SELECT 1 FROM pg_class WHERE relkind = 'p'
                AND relnamespace = 'public'::regnamespace
                AND to_regclass(format('public.%I', relname || '_' || ?::integer)) IS NOT NULL
            LIMIT 1""");
    private static final Sql PENDING = Sql.named("months-half-detached", """
            SELECT DISTINCT substring(c.relname FROM '[0-9]{6}$')::integer FROM pg_inherits i
            JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhdetachpending AND c.relnamespace = 'public'::regnamespace
                AND c.relname ~ '_[0-9]{6}$'""");
    /** FINALIZE waits for all of them, with its lock. */
    private static final Sql OLD_SNAPSHOTS = Sql.named("has-old-snapshots", """
            SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
                AND pid <> pg_backend_pid() AND backend_xmin IS NOT NULL
                AND xact_start < now() - interval '1 second' LIMIT 1""");
    private static final Sql LOCKED = Sql.named("is-table-locked", """
            SELECT 1 FROM pg_locks WHERE locktype = 'relation' AND pid <> pg_backend_pid()
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                AND relation = to_regclass(?) LIMIT 1""");
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
        return EXISTING.exists(connection, month) || ARCHIVED.exists(connection, month);
    }

    /** Months of which detaching a table was interrupted; no other can begin before it resumes. */
    public static List<Integer> pending(Connection connection) throws SQLException {
        return PENDING.list(connection, row -> row.getInt(1));
    }

    /**
     * Detaches all tables of a month and moves them into the archive.
     *
     * @throws SQLException also if a table is read by others for ten minutes
     */
    public static void archive(Connection connection, int month) throws SQLException {
        int before = connection.getNetworkTimeout();
        connection.setNetworkTimeout(Runnable::run, TIMEOUT_MS);
        try {
            for (String parent : attached(connection, month).keySet()) {
                retry(connection, here -> detach(here, parent, month));
            }
            for (String parent : PARENTS.list(connection, row -> row.getString(1))) {
                awaitNone(connection, LOCKED, child(parent, month));
                retry(connection, here -> TAKE.call(here, parent, month));
            }
            retry(connection, here -> TAKE_REST.call(here, month));
        } finally {
            connection.setNetworkTimeout(Runnable::run, before);
        }
    }

    private static String child(String parent, int month) {
        return "public." + parent + "_" + month;
    }

    private static void awaitNone(Connection connection, Sql others, Object... parameters)
            throws SQLException {
        long begun = System.nanoTime();
        while (others.exists(connection, parameters)) {
            if (isOver(begun)) {
                throw new SQLException("others read the month's tables", LOCK_NOT_AVAILABLE);
            }
            pause(POLL_MS);
        }
    }

    private static void retry(Connection connection, Sql.Series statement) throws SQLException {
        long begun = System.nanoTime();
        while (true) {
            try {
                statement.on(connection);
                return;
            } catch (SQLException e) {
                if (!waitedInVain(e) || isOver(begun)) {
                    throw e;
                }
            }
            pause(PAUSE_MS);
        }
    }

    private static boolean waitedInVain(SQLException e) {
        return LOCK_NOT_AVAILABLE.equals(e.getSQLState())
                || QUERY_CANCELED.equals(e.getSQLState());
    }

    private static boolean isOver(long begunNanos) {
        return System.nanoTime() - begunNanos > TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
    }

    private static void pause(long ms) throws SQLException {
        try {
            TimeUnit.MILLISECONDS.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted", e);
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
    private static void detach(Connection connection, String parent, int month)
            throws SQLException {
        Boolean begun = attached(connection, month).get(parent);
        if (begun == null) {
            return;
        }
        awaitNone(connection, LOCKED, child(parent, month));
        if (begun) {
            awaitNone(connection, OLD_SNAPSHOTS);
        }
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(DETACH_LIMIT_S);
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
