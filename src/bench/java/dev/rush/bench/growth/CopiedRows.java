package dev.rush.bench.growth;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/** Rows that the next commit writes by COPY, table by table in the order of their first rows. */
final class CopiedRows {
    private final Connection connection;
    private final CopyManager copies;
    private final Map<String, StringBuilder> rows = new LinkedHashMap<>();

    CopiedRows(Connection connection) throws SQLException {
        this.connection = connection;
        this.copies = connection.unwrap(PGConnection.class).getCopyAPI();
    }

    /**
     * Adds a row.
     *
     * @param table with its columns, unless the row has all of them
     */
    void add(String table, Object... values) {
        rows.computeIfAbsent(table, key -> new StringBuilder())
                .append(Arrays.stream(values).map(value -> value == null ? "\\N"
                        : value.toString()).collect(Collectors.joining("\t"))).append('\n');
    }

    /** Writes all rows and commits. */
    void commit() throws SQLException {
        for (Map.Entry<String, StringBuilder> table : rows.entrySet()) {
            try {
                copies.copyIn("COPY " + table.getKey() + " FROM STDIN",
                        new StringReader(table.getValue().toString()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        rows.clear();
        connection.commit();
    }
}
