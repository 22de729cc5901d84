package dev.rush.order.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.testing.Statements;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;

/** PostgreSQL accepts and plans every statement. */
class ExplainedTest {

    @Test
    void postgresPlansEveryStatement() throws SQLException {
        Map<String, String> refused = new TreeMap<>();
        try (EmbeddedLedger postgres = EmbeddedLedger.start()) {
            String url = postgres.freshDatabase();
            Flyway.configure().dataSource(url, null, null).load().migrate();
            // Parameters of a generic plan have no values, which the driver would bind otherwise.
            try (Connection connection =
                    DriverManager.getConnection(url + "&preferQueryMode=simple")) {
                connection.setAutoCommit(false);
                for (Sql sql : Statements.all()) {
                    try {
                        tryOut(connection, sql);
                    } catch (SQLException e) {
                        refused.put(sql.name(), e.getMessage());
                    }
                    connection.rollback();
                }
            }
        }
        assertThat(refused).isEmpty();
    }

    /** SET and COPY have no plan; they are only begun. */
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
