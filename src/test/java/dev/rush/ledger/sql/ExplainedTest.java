package dev.rush.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.testing.Statements;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;

/** PostgreSQL accepts and plans every statement. */
class ExplainedTest {

    /** The service's schemas. */
    private static final List<String> SCHEMAS = List.of("db/migration");

    @Test
    void postgresPlansEveryStatement() throws SQLException {
        Map<String, Set<String>> refused = new TreeMap<>();
        try (EmbeddedLedger postgres = EmbeddedLedger.start()) {
            for (String schema : SCHEMAS) {
                refused(postgres.freshDatabase(), schema).forEach((name, reason) ->
                        refused.computeIfAbsent(name, key -> new TreeSet<>()).add(reason));
            }
        }
        refused.values().removeIf(reasons -> reasons.size() < SCHEMAS.size());
        assertThat(refused).isEmpty();
    }

    private static Map<String, String> refused(String url, String schema) throws SQLException {
        Map<String, String> refused = new TreeMap<>();
        Flyway.configure().dataSource(url, null, null).locations(schema).load().migrate();
        // The parameters of a generic plan have no values, but the driver would bind some.
        try (Connection connection =
                DriverManager.getConnection(url + "&preferQueryMode=simple")) {
            connection.setAutoCommit(false);
            for (Sql sql : Statements.all()) {
                try {
                    tryOut(connection, sql);
                } catch (SQLException e) {
                    refused.put(sql.name(), schema + ": " + e.getMessage());
                }
                connection.rollback();
            }
        }
        return refused;
    }

    /** SET and COPY have no plan, so they are only started. */
    private static void tryOut(Connection connection, Sql sql) throws SQLException {
        if (sql.text().startsWith("SET")) {
            sql.run(connection);
        } else if (sql.text().startsWith("COPY")) {
            sql.copyIn(connection).cancelCopy();
        } else {
            explain(connection, sql);
        }
    }

    private static void explain(Connection connection, Sql sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql.setting());
            try (ResultSet plan = statement.executeQuery(
                    "EXPLAIN (GENERIC_PLAN) " + Statements.numbered(sql))) {
                assertThat(plan.next()).isTrue();
            }
        }
    }
}
