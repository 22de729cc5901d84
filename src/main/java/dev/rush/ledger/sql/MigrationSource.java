package dev.rush.ledger.sql;

import io.agroal.api.AgroalDataSource;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.HashMap;
import java.util.Map;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * Connections for migrations: unlike those of calls, they wait for as long as a migration takes.
 * Closing it gives them the limit of calls again. Used by one thread, before there are calls.
 */
public final class MigrationSource implements DataSource, AutoCloseable {

    private final AgroalDataSource source;
    /** The driver's connections that wait without a limit, and the limit of each before. */
    private final Map<Connection, Integer> limits = new HashMap<>();

    /** Migrates through connections of this pool. */
    public MigrationSource(AgroalDataSource source) {
        this.source = source;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = source.getConnection();
        limits.putIfAbsent(connection.unwrap(Connection.class), connection.getNetworkTimeout());
        connection.setNetworkTimeout(Runnable::run, 0);
        return connection;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    // Flushing the pool instead would leave the next call a race: it happens in the background.
    @Override
    public void close() throws SQLException {
        for (Map.Entry<Connection, Integer> limit : limits.entrySet()) {
            if (!limit.getKey().isClosed()) {
                limit.getKey().setNetworkTimeout(Runnable::run, limit.getValue());
            }
        }
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return source.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        source.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        source.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return source.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return source.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return source.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return source.isWrapperFor(type);
    }
}
