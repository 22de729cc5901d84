package dev.rush.ledger.sql;

import static java.util.stream.Collectors.joining;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * A named statement. Outside this package nothing prepares or executes SQL, which SqlTest checks.
 * Statements are constants beside the code that runs them, so all names are known once the classes
 * are initialized. A statement runs in the transaction of the connection that it is given, within
 * that transaction's {@link TransactionLimits}. Every failure contains the name.
 *
 * <p>Parameters are bound in order, with their Java types; {@link SqlArray} creates arrays. A null
 * has the type that PostgreSQL infers.
 */
public final class Sql {

    private static final Pattern KEBAB_CASE = Pattern.compile("[a-z]+(-[a-z]+)*");
    private static final String NO_DATA = "02000";
    private static final ConcurrentSkipListMap<String, Sql> ALL = new ConcurrentSkipListMap<>();

    private final String name;
    private final String setting;
    private final String text;
    private final String sent;
    private final int parameters;

    /** Maps the current row to a value. */
    @FunctionalInterface
    public interface RowMapper<T> {

        /** Reads columns of this row only. */
        T of(ResultSet row) throws SQLException;
    }

    /** Consumes the current row. */
    @FunctionalInterface
    public interface RowReader {

        /** Reads columns of this row only. */
        void read(ResultSet row) throws SQLException;
    }

    /** Several statements outside a transaction. */
    @FunctionalInterface
    public interface Series {

        /** Runs the statements. */
        void on(Connection connection) throws SQLException;
    }

    @FunctionalInterface
    private interface Execution<T> {

        T of(PreparedStatement statement) throws SQLException;
    }

    private Sql(String name, String setting, String text) {
        this.name = name;
        this.setting = setting;
        this.text = text;
        this.sent = setting.isEmpty() ? text : setting + ";\n" + text;
        this.parameters = (int) text.chars().filter(c -> c == '?').count();
    }

    /**
     * A statement; only static initializers call this.
     *
     * @param name in kebab case, unique
     * @param text with {@code ?} for each parameter
     */
    public static Sql named(String name, String text) {
        return named(name, "", text);
    }

    /**
     * A query that needs a setting of the planner, which is sent with it in one round trip.
     *
     * @param setting a {@code SET LOCAL}
     */
    public static Sql named(String name, String setting, String text) {
        if (!KEBAB_CASE.matcher(name).matches()) {
            throw new IllegalArgumentException("not in kebab case: " + name);
        }
        Sql sql = new Sql(name, setting, text);
        if (ALL.putIfAbsent(name, sql) != null) {
            throw new IllegalStateException("two statements are named " + name);
        }
        return sql;
    }

    /** The statements of all initialized classes, by name. */
    public static List<Sql> all() {
        return List.copyOf(ALL.values());
    }

    public String name() {
        return name;
    }

    /** The {@code SET LOCAL} before it, or empty. */
    public String setting() {
        return setting;
    }

    public String text() {
        return text;
    }

    /** All rows of a query. */
    public <T> List<T> list(Connection connection, RowMapper<T> mapper,
            @Nullable Object... parameters) throws SQLException {
        List<T> found = new ArrayList<>();
        each(connection, row -> found.add(mapper.of(row)), parameters);
        return found;
    }

    /** The first row of a query, or null. */
    public <T> @Nullable T first(Connection connection, RowMapper<T> mapper,
            @Nullable Object... parameters) throws SQLException {
        return this.<Optional<T>>prepared(connection, parameters, statement -> {
            try (ResultSet row = rows(statement)) {
                return row.next() ? Optional.ofNullable(mapper.of(row)) : Optional.empty();
            }
        }).orElse(null);
    }

    /** The first row of a query that always has one; fails if it has none. */
    public <T> T one(Connection connection, RowMapper<T> mapper, @Nullable Object... parameters)
            throws SQLException {
        return prepared(connection, parameters, statement -> {
            try (ResultSet row = rows(statement)) {
                if (!row.next()) {
                    throw new SQLException("finds no row", NO_DATA);
                }
                return mapper.of(row);
            }
        });
    }

    /** Runs a query for its effect, for example a lock. */
    public void call(Connection connection, @Nullable Object... parameters) throws SQLException {
        exists(connection, parameters);
    }

    /** Whether a query has any rows. */
    public boolean exists(Connection connection, @Nullable Object... parameters)
            throws SQLException {
        return first(connection, row -> true, parameters) != null;
    }

    /** Reads each row of a query. */
    public void each(Connection connection, RowReader reader, @Nullable Object... parameters)
            throws SQLException {
        prepared(connection, parameters, statement -> {
            try (ResultSet row = rows(statement)) {
                while (row.next()) {
                    reader.read(row);
                }
                return true;
            }
        });
    }

    /** Changes rows, and returns how many. */
    public int update(Connection connection, @Nullable Object... parameters) throws SQLException {
        return prepared(connection, parameters, PreparedStatement::executeUpdate);
    }

    /** Changes rows once with each of these parameters, in one round trip. */
    public void batch(Connection connection, Collection<@Nullable Object[]> parameters)
            throws SQLException {
        prepared(connection, statement -> {
            for (@Nullable Object[] row : parameters) {
                bind(connection, statement, row);
                statement.addBatch();
            }
            return statement.executeBatch();
        });
    }

    /** This statement and its parameters, for {@link #updateAll}. */
    public Call with(@Nullable Object... parameters) {
        return new Call(this, parameters);
    }

    /** A statement with its parameters. */
    public record Call(Sql sql, @Nullable Object... parameters) {
    }

    /** Runs several statements in order in one round trip; returns how many rows each changed. */
    public static List<Integer> updateAll(Connection connection, List<Call> calls)
            throws SQLException {
        List<@Nullable Object> values = new ArrayList<>();
        calls.forEach(call -> values.addAll(Arrays.asList(call.parameters)));
        Sql all = new Sql(calls.stream().map(call -> call.sql.name).collect(joining(" or ")), "",
                calls.stream().map(call -> call.sql.text).collect(joining(";\n")));
        return all.prepared(connection, values.toArray(), statement -> {
            List<Integer> changed = new ArrayList<>();
            statement.execute();
            for (int count = statement.getUpdateCount(); count >= 0;
                    count = statement.getUpdateCount()) {
                changed.add(count);
                statement.getMoreResults();
            }
            return changed;
        });
    }

    /** Executes a command that has neither parameters nor rows. */
    public void run(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sent);
        } catch (SQLException e) {
            throw withName(e);
        }
    }

    /** Starts a COPY from this program; the caller must end or cancel it. */
    public CopyIn copyIn(Connection connection) throws SQLException {
        try {
            return connection.unwrap(PGConnection.class).getCopyAPI().copyIn(sent);
        } catch (SQLException e) {
            throw withName(e);
        }
    }

    private <T> T prepared(Connection connection, @Nullable Object[] values, Execution<T> execution)
            throws SQLException {
        return prepared(connection, statement -> {
            bind(connection, statement, values);
            return execution.of(statement);
        });
    }

    private <T> T prepared(Connection connection, Execution<T> execution) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sent)) {
            return execution.of(statement);
        } catch (SQLException e) {
            throw withName(e);
        }
    }

    private void bind(Connection connection, PreparedStatement statement, @Nullable Object[] values)
            throws SQLException {
        if (values.length != parameters) {
            throw new IllegalArgumentException(name + " has " + parameters + " parameters, not "
                    + values.length);
        }
        for (int i = 0; i < values.length; i++) {
            @Nullable Object parameter = values[i];
            statement.setObject(i + 1, parameter instanceof SqlArray array
                    ? connection.createArrayOf(array.type(), array.elements()) : parameter);
        }
    }

    private ResultSet rows(PreparedStatement statement) throws SQLException {
        if (setting.isEmpty()) {
            return statement.executeQuery();
        }
        statement.execute();
        statement.getMoreResults();
        return statement.getResultSet();
    }

    /** The same failure with the statement's name in front. */
    SQLException withName(SQLException failure) {
        return new SQLException(name + ": " + failure.getMessage(), failure.getSQLState(),
                failure.getErrorCode(), failure);
    }

    @Override
    public String toString() {
        return name;
    }
}
