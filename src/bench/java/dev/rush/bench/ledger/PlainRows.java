package dev.rush.bench.ledger;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.Function;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * The baselines: write rows from memory over one connection to tables with the same columns and
 * indexes, one transaction per batch, without any guard.
 */
final class PlainRows implements AutoCloseable {
    private static final String COLUMNS = "(id, month, block, seq, placed_at_ms, pay_by_ms,"
            + " partition, sale, user_id, key, digest, lines, lefts, claim)";

    private final Connection connection;
    private final int partition;

    PlainRows(String url, int partition) throws SQLException {
        this.connection = DriverManager.getConnection(url);
        this.partition = partition;
        try (Statement create = connection.createStatement()) {
            create.execute("CREATE TABLE inserted (LIKE orders INCLUDING ALL)");
            create.execute("CREATE TABLE copied (LIKE orders INCLUDING ALL)");
        }
        connection.setAutoCommit(false);
    }

    Connection connection() {
        return connection;
    }

    /** Writes all rows by INSERT or COPY and returns the elapsed seconds. */
    double seconds(boolean isCopy, String sale, List<Order> orders, int batch)
            throws SQLException {
        long from = System.nanoTime();
        for (int first = 0; first < orders.size(); first += batch) {
            List<Order> rows = orders.subList(first, Math.min(orders.size(), first + batch));
            if (isCopy) {
                copy(sale, rows);
            } else {
                insert(sale, rows);
            }
            connection.commit();
        }
        return (System.nanoTime() - from) / 1e9;
    }

    private void copy(String sale, List<Order> orders) throws SQLException {
        StringBuilder rows = new StringBuilder(orders.size() * 128);
        for (Order order : orders) {
            rows.append(order.id()).append("\t202601\t1\t").append(order.seq()).append('\t')
                    .append(order.placedAt()).append("\t0\t").append(partition).append('\t')
                    .append(sale).append('\t').append(order.user()).append("\t\\N\t=\tapple:1\t")
                    .append(order.lefts()).append("\t\n");
        }
        CopyIn copy = connection.unwrap(PGConnection.class).getCopyAPI()
                .copyIn("COPY copied " + COLUMNS + " FROM STDIN");
        byte[] bytes = rows.toString().getBytes(StandardCharsets.US_ASCII);
        copy.writeToCopy(bytes, 0, bytes.length);
        copy.endCopy();
    }

    private void insert(String sale, List<Order> orders) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO inserted " + COLUMNS + """
                 SELECT id, 202601, 1, seq, placed_at_ms, pay_by_ms, ?, sale, user_id, NULL, digest,
                    lines, lefts, ''
                FROM unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[],
                    ?::text[], ?::bigint[], ?::bigint[], ?::bigint[])
                    AS entry (id, sale, user_id, digest, lines, lefts, placed_at_ms,
                        pay_by_ms, seq)""")) {
            insert.setInt(1, partition);
            array(insert, 2, "text", orders, Order::id);
            array(insert, 3, "text", orders, order -> sale);
            array(insert, 4, "text", orders, Order::user);
            array(insert, 5, "text", orders, order -> "=");
            array(insert, 6, "text", orders, order -> "apple:1");
            array(insert, 7, "text", orders, Order::lefts);
            array(insert, 8, "int8", orders, Order::placedAt);
            array(insert, 9, "int8", orders, order -> 0L);
            array(insert, 10, "int8", orders, Order::seq);
            insert.executeUpdate();
        }
    }

    private void array(PreparedStatement insert, int index, String type, List<Order> orders,
            Function<Order, Object> field) throws SQLException {
        insert.setArray(index,
                connection.createArrayOf(type, orders.stream().map(field).toArray()));
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
