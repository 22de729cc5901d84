package dev.rush.bench.ledger;

import dev.rush.redis.Partition;
import dev.rush.testing.Await;
import dev.rush.testing.Resp;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Measures how fast a writer drains a stream. */
final class Drain implements AutoCloseable {
    private static final long POLL_MS = 8;
    private static final long LIMIT_NANOS = 120_000_000_000L;

    private final Connection connection;
    private final Resp redis;
    private final Partition partition;

    /** The orders stored during the measurement, and its seconds. */
    record Drained(long orders, double seconds) {
    }

    Drain(String url, Resp redis, Partition partition) throws SQLException {
        this.connection = DriverManager.getConnection(url);
        this.redis = redis;
        this.partition = partition;
    }

    /** Measures from the first stored order until all are stored and the stream is empty. */
    Drained watch(String sale, int orders) throws SQLException {
        long limit = System.nanoTime() + LIMIT_NANOS;
        long atFirst = sold(sale);
        while (atFirst == 0) {
            awaitNextPoll(limit);
            atFirst = sold(sale);
        }
        long from = System.nanoTime();
        while (sold(sale) < orders || redis.number("XLEN", partition.key("orders")) > 0) {
            awaitNextPoll(limit);
        }
        return new Drained(orders - atFirst, (System.nanoTime() - from) / 1e9);
    }

    /** Reads one row by its key, which costs the writer almost nothing. */
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

    private static void awaitNextPoll(long limit) {
        if (System.nanoTime() > limit) {
            throw new IllegalStateException("the writer has not stored all orders in time");
        }
        Await.sleep(POLL_MS);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
