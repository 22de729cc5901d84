package dev.rush.testing;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import org.flywaydb.core.Flyway;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;

/**
 * The rows of a database and the state of its sequences in one snapshot. The embedded PostgreSQL
 * lacks {@code pg_dump}, so the schema does not come from the dump but from the migrations.
 */
public final class Dump {
    private static final String TABLES = """
            SELECT c.oid::regclass FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
                AND n.nspname IN ('public', 'archive') AND c.relname <> 'flyway_schema_history'""";
    private static final String SEQUENCES = """
            SELECT format('%I.%I', schemaname, sequencename), last_value FROM pg_sequences
            WHERE last_value IS NOT NULL""";

    private final Map<String, byte[]> rows = new LinkedHashMap<>();
    private final Map<String, Long> sequences = new LinkedHashMap<>();

    private Dump() {
    }

    /** Dumps a database while transactions go on. */
    public static Dump of(String url) {
        Dump dump = new Dump();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            connection.setAutoCommit(false);
            try (ResultSet table = statement.executeQuery(TABLES)) {
                while (table.next()) {
                    dump.rows.put(table.getString(1), new byte[0]);
                }
            }
            CopyManager copies = new CopyManager((BaseConnection) connection);
            for (Map.Entry<String, byte[]> table : dump.rows.entrySet()) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                copies.copyOut("COPY (SELECT * FROM " + table.getKey() + ") TO STDOUT", out);
                table.setValue(out.toByteArray());
            }
            try (ResultSet sequence = statement.executeQuery(SEQUENCES)) {
                while (sequence.next()) {
                    dump.sequences.put(sequence.getString(1), sequence.getLong(2));
                }
            }
            return dump;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Restores it into an empty database. */
    public void restore(String url) {
        Flyway.configure().dataSource(url, null, null).locations("db/migration").load().migrate();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            // A dump too creates triggers after the rows.
            statement.execute("SET session_replication_role = replica");
            CopyManager copies = new CopyManager((BaseConnection) connection);
            for (Map.Entry<String, byte[]> table : rows.entrySet()) {
                statement.execute("DELETE FROM " + table.getKey());
                copies.copyIn("COPY " + table.getKey() + " FROM STDIN",
                        new ByteArrayInputStream(table.getValue()));
            }
            for (Map.Entry<String, Long> sequence : sequences.entrySet()) {
                statement.execute("SELECT setval('" + sequence.getKey() + "', "
                        + sequence.getValue() + ")");
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
