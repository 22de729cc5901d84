package dev.rush.bench.ledger;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.Function;

/**
 * What PostgreSQL can do at best: rows that are in memory already go by one connection into a copy
 * of the table with the same indexes, a transaction a batch, without any guard.
 */
final class PlainInsert implements AutoCloseable {
    private final Connection connection;
    private final int partition;

    PlainInsert(String url, int partition) throws SQLException {
        this.connection = DriverManager.getConnection(url);
        this.partition = partition;
        try (Statement create = connection.createStatement()) {
            create.execute("CREATE TABLE plain_orders (LIKE orders INCLUDING ALL)");
        }
        connection.setAutoCommit(false);
    }

    Connection connection() {
        return connection;
    }

    /** Inserts all and returns the seconds that it took. */
    double seconds(String sale, List<Order> orders, int batch) throws SQLException {
        long from = System.nanoTime();
        for (int first = 0; first < orders.size(); first += batch) {
            insert(sale, orders.subList(first, Math.min(orders.size(), first + batch)));
            connection.commit();
        }
        return (System.nanoTime() - from) / 1e9;
    }

    private void insert(String sale, List<Order> orders) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO plain_orders (id, month, batch, seq, placed_at_ms, pay_by_ms,
                    partition, sale, user_id, key, digest, lines, lefts, claim)
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
