package dev.rush.ledger.sql;

import dev.rush.LedgerConfig;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Time limits that PostgreSQL enforces for one transaction. Each transaction sets its own, because
 * PgBouncer refuses them as connection options, and session settings there affect other clients.
 * They are sent together with BEGIN, in one round trip.
 */
public final class TransactionLimits {

    private static final String SNAPSHOT =
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; ";

    private final String statement;

    /** Creates limits from the configuration. */
    public TransactionLimits(LedgerConfig config) {
        long statementMs = config.statementTimeout().toMillis();
        this.statement = "SET LOCAL statement_timeout = " + statementMs
                + "; SET LOCAL lock_timeout = " + config.lockTimeout().toMillis()
                + "; SET LOCAL idle_in_transaction_session_timeout = " + statementMs;
    }

    /** Sets them in a transaction before its first statement. */
    public void set(Connection connection) throws SQLException {
        try (Statement set = connection.createStatement()) {
            set.execute(statement);
        }
    }

    /**
     * As {@link #set}, and reads a row that always exists, in the same round trip. JIT is off,
     * because compiling costs more than it saves when many tables are joined for a few rows.
     */
    public <T> T begin(Connection connection, Sql first, Sql.RowMapper<T> mapper)
            throws SQLException {
        return begin(connection, first, mapper, "");
    }

    /** As {@link #begin}, for a read-only transaction that sees one snapshot. */
    public <T> T beginSnapshot(Connection connection, Sql first, Sql.RowMapper<T> mapper)
            throws SQLException {
        return begin(connection, first, mapper, SNAPSHOT);
    }

    private <T> T begin(Connection connection, Sql first, Sql.RowMapper<T> mapper, String mode)
            throws SQLException {
        String all = mode + statement + "; SET LOCAL jit = off;\n" + first.text();
        try (PreparedStatement begin = connection.prepareStatement(all)) {
            boolean rows = begin.execute();
            while (!rows && begin.getUpdateCount() >= 0) {
                rows = begin.getMoreResults();
            }
            try (ResultSet row = begin.getResultSet()) {
                row.next();
                return mapper.of(row);
            }
        } catch (SQLException e) {
            throw first.withName(e);
        }
    }
}
