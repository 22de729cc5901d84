package dev.rush.bench.ledger;

import dev.rush.redis.Partition;
import dev.rush.testing.Resp;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Watches a writer empty a stream. */
final class Drain implements AutoCloseable {
    private static final long POLL_MS = 8;
    private static final long LIMIT_NANOS = 120_000_000_000L;

    private final Connection connection;
    private final Resp redis;
    private final Partition partition;

    /** Orders that went through while it was watched, and the seconds that they took. */
    record Drained(long orders, double seconds) {
    }

    Drain(String url, Resp redis, Partition partition) throws SQLException {
        this.connection = DriverManager.getConnection(url);
        this.redis = redis;
        this.partition = partition;
    }

    /** From the first stored row to the last, and until the stream has forgotten them all. */
    Drained watch(String sale, int orders) throws SQLException {
        long limit = System.nanoTime() + LIMIT_NANOS;
        long atFirst = sold(sale);
        while (atFirst == 0) {
            rest(limit);
            atFirst = sold(sale);
        }
        long from = System.nanoTime();
        while (sold(sale) < orders || redis.number("XLEN", partition.key("orders")) > 0) {
            rest(limit);
        }
        return new Drained(orders - atFirst, (System.nanoTime() - from) / 1e9);
    }

    /** One row, found by its key: a poll costs the writer next to nothing. */
    private long sold(String sale) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT sold FROM items WHERE sale = ? AND sku = 'apple'")) {
            select.setString(1, sale);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private static void rest(long limit) {
        if (System.nanoTime() > limit) {
            throw new IllegalStateException("the writer does not get on");
        }
        try {
            Thread.sleep(POLL_MS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
