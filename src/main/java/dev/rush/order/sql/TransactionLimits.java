package dev.rush.order.sql;

import dev.rush.LedgerConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Time limits that PostgreSQL keeps for one transaction. Each transaction sets its own, because
 * PgBouncer refuses them as options of a connection, and what one session sets there is met by
 * another. They go out together with BEGIN, in one round trip.
 */
public final class TransactionLimits {

    private final String statement;

    /** The limits that are configured. */
    public TransactionLimits(LedgerConfig config) {
        long statementMs = config.statementTimeout().toMillis();
        this.statement = "SET LOCAL statement_timeout = " + statementMs
                + "; SET LOCAL lock_timeout = " + config.lockTimeout().toMillis()
                + "; SET LOCAL idle_in_transaction_session_timeout = " + statementMs;
    }

    /** Sets them in a transaction in which nothing was done yet. */
    public void set(Connection connection) throws SQLException {
        try (Statement set = connection.createStatement()) {
            set.execute(statement);
        }
    }
}
