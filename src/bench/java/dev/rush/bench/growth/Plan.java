package dev.rush.bench.growth;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.postgresql.copy.CopyIn;

/**
 * The executed plan of a statement.
 *
 * @param rows    rows that all nodes of the plan produced, or read and filtered out
 * @param buffers pages read, without planning
 * @param wrong   nodes that no plan should have, because their cost grows with the history
 */
record Plan(long rows, long buffers, double ms, List<String> wrong) {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Set<String> READ = Set.of("Actual Rows", "Rows Removed by Filter",
            "Rows Removed by Index Recheck", "Rows Removed by Join Filter");
    /** No batch or page has more rows. */
    private static final long SORTED_MAX = 2_000;
    private static final String PARTITIONED =
            "(orders|rejected|steps|blocks|grabs|rejected_grabs)(_\\d+)?";

    /** Runs a statement with a sample's parameters and rolls its changes back. */
    static Plan of(Connection connection, Sql sql, Sample sample) throws SQLException {
        if (sql.text().startsWith("COPY")) {
            return ofCopy(connection, sql, sample);
        }
        String plan = explain(connection, sql, sample,
                "(ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON)");
        try {
            JsonNode root = MAPPER.readTree(plan).get(0);
            List<String> wrong = new ArrayList<>();
            JsonNode top = root.get("Plan");
            long rows = read(top, wrong);
            return new Plan(rows, top.get("Shared Hit Blocks").asLong()
                    + top.get("Shared Read Blocks").asLong(),
                    root.get("Execution Time").asDouble(), wrong);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** COPY has no plan: measures its time and the page accesses of its tables. */
    private static Plan ofCopy(Connection connection, Sql sql, Sample sample)
            throws SQLException {
        long before = pages(connection);
        long from = System.nanoTime();
        try (Statement statement = connection.createStatement()) {
            CopyIn copy = sql.copyIn(connection);
            for (Object row : sample.parameters()) {
                byte[] bytes = (row + "\n").getBytes(StandardCharsets.UTF_8);
                copy.writeToCopy(bytes, 0, bytes.length);
            }
            copy.endCopy();
            double ms = (System.nanoTime() - from) / 1e6;
            statement.execute("SELECT pg_stat_force_next_flush()");
            connection.rollback();
            return new Plan(sample.parameters().length, pages(connection) - before, ms,
                    List.of());
        }
    }

    private static long pages(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT sum(heap_blks_read"
                        + " + heap_blks_hit + idx_blks_read + idx_blks_hit)"
                        + " FROM pg_statio_user_tables")) {
            row.next();
            return row.getLong(1);
        } finally {
            connection.rollback();
        }
    }

    /** Returns the plan as text. */
    static String text(Connection connection, Sql sql, Sample sample) throws SQLException {
        if (sql.text().startsWith("COPY")) {
            return sql.text();
        }
        return explain(connection, sql, sample, "(ANALYZE, BUFFERS, SETTINGS)");
    }

    private static String explain(Connection connection, Sql sql, Sample sample, String options)
            throws SQLException {
        try (Statement set = connection.createStatement();
                PreparedStatement explain = connection.prepareStatement(
                        "EXPLAIN " + options + " " + sql.text())) {
            set.execute("SET LOCAL jit = off; " + sql.setting());
            Object[] parameters = sample.parameters();
            for (int i = 0; i < parameters.length; i++) {
                explain.setObject(i + 1, parameters[i] instanceof SqlArray array
                        ? connection.createArrayOf(array.type(), array.elements())
                        : parameters[i]);
            }
            List<String> lines = new ArrayList<>();
            try (ResultSet row = explain.executeQuery()) {
                while (row.next()) {
                    lines.add(row.getString(1));
                }
            }
            return lines.stream().collect(Collectors.joining("\n"));
        } catch (SQLException e) {
            throw new SQLException(sql.name() + ": " + e.getMessage(), e.getSQLState(), e);
        } finally {
            connection.rollback();
        }
    }

    private static long read(JsonNode node, List<String> wrong) {
        String type = node.get("Node Type").asText();
        String table = node.path("Relation Name").asText();
        double rows = READ.stream().mapToDouble(field -> node.path(field).asDouble()).sum();
        double loops = node.path("Actual Loops").asDouble();
        if (type.equals("Seq Scan") && table.matches(PARTITIONED)) {
            wrong.add("Seq Scan of " + table);
        }
        long all = Math.round(rows * loops);
        for (JsonNode child : node.path("Plans")) {
            double sorted = child.path("Actual Rows").asDouble()
                    * child.path("Actual Loops").asDouble();
            if (type.endsWith("Sort") && sorted > SORTED_MAX) {
                wrong.add(type + " of " + Math.round(sorted) + " rows");
            }
            // The rows of a bitmap are read and counted by the node above.
            if (!child.path("Node Type").asText().equals("Bitmap Index Scan")
                    || !type.equals("Bitmap Heap Scan")) {
                all += read(child, wrong);
            }
        }
        return all;
    }
}
