package dev.rush.books;

import dev.rush.redis.batch.SequenceLost;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What Redis lost, as rows of the ledger. */
final class LossRows {

    /** Within this pods tell of one and the same loss. */
    private static final String SAME = "interval '10 minutes'";

    private LossRows() {
    }

    /** A loss that is not dealt with to its end. */
    record Loss(long id, int partition, long low, long high, long noticedAtMs, boolean restored) {
    }

    /** Enters what a pod noticed; several pods notice the same loss, each a part of it. */
    static void note(Connection connection, SequenceLost loss) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(
                "SELECT pg_advisory_xact_lock(hashtextextended('loss ' || ?, 0))");
                PreparedStatement extend = connection.prepareStatement("""
                UPDATE losses SET low = LEAST(low, ?), high = GREATEST(high, ?),
                    noticed_at_ms = LEAST(noticed_at_ms, ?),
                    lost = CASE WHEN low <= ? AND high >= ? THEN lost END,
                    restored_at = CASE WHEN low <= ? AND high >= ? THEN restored_at END
                WHERE id = (SELECT max(id) FROM losses WHERE partition = ?
                    AND noticed_at > now() -\s""" + SAME + """
                 AND low < ? AND high > ?)""");
                PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO losses (partition, low, high, noticed_at_ms) VALUES (?, ?, ?, ?)""")) {
            lock.setInt(1, loss.partition().index());
            lock.executeQuery().close();
            extend.setLong(1, loss.low());
            extend.setLong(2, loss.high());
            extend.setLong(3, loss.noticedAtMs());
            extend.setLong(4, loss.low());
            extend.setLong(5, loss.high());
            extend.setLong(6, loss.low());
            extend.setLong(7, loss.high());
            extend.setInt(8, loss.partition().index());
            extend.setLong(9, loss.high());
            extend.setLong(10, loss.low());
            if (extend.executeUpdate() == 0) {
                insert.setInt(1, loss.partition().index());
                insert.setLong(2, loss.low());
                insert.setLong(3, loss.high());
                insert.setLong(4, loss.noticedAtMs());
                insert.executeUpdate();
            }
        }
    }

    /**
     * Losses that are to be restored or counted.
     *
     * @param refused partitions that are left out
     */
    static List<Loss> open(Connection connection, Set<Integer> refused) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT id, partition, low, high, noticed_at_ms, restored_at IS NOT NULL
                FROM losses WHERE (lost IS NULL OR restored_at IS NULL)
                    AND partition <> ALL (?)
                ORDER BY random() LIMIT 100""")) {
            select.setArray(1, connection.createArrayOf("int4", refused.toArray()));
            List<Loss> losses = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    losses.add(new Loss(row.getLong(1), row.getInt(2), row.getLong(3),
                            row.getLong(4), row.getLong(5), row.getBoolean(6)));
                }
            }
            return losses;
        }
    }

    /** The sales in a partition that the ledger knows as loaded. */
    static List<String> sales(Connection connection, int partition) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT sale FROM sales WHERE partitions @> ARRAY[?] AND state = 'loaded'")) {
            select.setInt(1, partition);
            List<String> sales = new ArrayList<>();
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    sales.add(row.getString(1));
                }
            }
            return sales;
        }
    }

    static void restored(Connection connection, Loss loss) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                UPDATE losses SET restored_at = now() WHERE id = ? AND low = ?""")) {
            update.setLong(1, loss.id);
            update.setLong(2, loss.low);
            update.executeUpdate();
        }
    }

    /**
     * Counts how many of the lost numbers no store knows: the numbers, less those of orders and
     * grabs from before the loss that the ledger or the dead letters have. The stream must be
     * drained past the loss.
     *
     * @return how many; −1 if they were counted before
     */
    static long count(Connection connection, Loss loss) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                UPDATE losses l SET lost = GREATEST(0, l.high - l.low - (
                    SELECT count(DISTINCT seq) FROM (
                        SELECT seq, placed_at_ms AS at FROM orders WHERE partition = l.partition
                        UNION ALL
                        SELECT seq, granted_at_ms FROM grabs WHERE partition = l.partition
                        UNION ALL
                        SELECT (fields ->> 'seq')::bigint, (fields ->> 'at')::bigint
                        FROM dead_letters WHERE partition = l.partition AND state = 'waiting'
                            AND fields ->> 'seq' ~ '^[0-9]{1,16}$'
                            AND fields ->> 'at' ~ '^[0-9]{1,16}$') AS known
                    WHERE known.seq > l.low AND known.seq <= l.high
                        AND known.at < l.noticed_at_ms))
                WHERE id = ? AND lost IS NULL AND low = ? AND high = ? RETURNING lost""")) {
            update.setLong(1, loss.id);
            update.setLong(2, loss.low);
            update.setLong(3, loss.high);
            try (ResultSet row = update.executeQuery()) {
                return row.next() ? row.getLong(1) : -1;
            }
        }
    }

    /** The highest number that the ledger has stored, by partition. */
    static Map<Integer, Long> highest(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT partition, seq FROM leases");
                ResultSet row = select.executeQuery()) {
            Map<Integer, Long> highest = new HashMap<>();
            while (row.next()) {
                highest.put(row.getInt(1), row.getLong(2));
            }
            return highest;
        }
    }

    /** Whether a loss is known that has all numbers up to this one. */
    static boolean isKnown(Connection connection, int partition, long high) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT 1 FROM losses WHERE partition = ? AND high >= ?
                    AND noticed_at > now() - interval '1 day' LIMIT 1""")) {
            select.setInt(1, partition);
            select.setLong(2, high);
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }
}
