package dev.rush.books;

import dev.rush.order.sql.Sql;
import dev.rush.order.sql.SqlArray;
import dev.rush.redis.batch.SequenceLost;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What Redis lost, as rows of the ledger. */
final class LossRows {

    private static final Sql LOCK = Sql.named("lock-losses",
            "SELECT pg_advisory_xact_lock(hashtextextended('loss ' || ?, 0))");
    /** The same tenures make the same loss; without times, overlapping numbers that came soon. */
    private static final Sql FIND = Sql.named("find-loss", """
            SELECT id FROM losses l, (SELECT ?::bigint AS since, ?::bigint AS noticed) AS told
            WHERE partition = ? AND (since_ms > 0 AND since_ms = since AND noticed_at_ms = noticed
                OR low < ? AND high > ? AND CASE
                    WHEN since_ms = 0 AND since = 0 THEN l.noticed_at > now() - interval '10 min'
                    WHEN since_ms = 0 THEN noticed_at_ms BETWEEN since AND noticed + 60000
                    WHEN since = 0 THEN noticed BETWEEN since_ms AND noticed_at_ms + 60000
                    ELSE false END)
            ORDER BY since_ms = since AND noticed_at_ms = noticed DESC, id DESC LIMIT 1""");
    /** Known times win over the time of a reply. */
    private static final Sql EXTEND = Sql.named("extend-loss", """
            UPDATE losses SET low = LEAST(low, told_low), high = GREATEST(high, told_high),
                since_ms = GREATEST(since_ms, since),
                noticed_at_ms = CASE WHEN since_ms = 0 AND since > 0 THEN noticed
                    WHEN since_ms > 0 AND since = 0 THEN noticed_at_ms
                    ELSE LEAST(noticed_at_ms, noticed) END,
                lost = CASE WHEN low <= told_low AND high >= told_high AND since_ms >= since
                    THEN lost END,
                restored_at = CASE WHEN low <= told_low AND high >= told_high THEN restored_at END
            FROM (SELECT ?::bigint AS told_low, ?::bigint AS told_high, ?::bigint AS since,
                ?::bigint AS noticed) AS told WHERE id = ?""");
    private static final Sql INSERT = Sql.named("insert-loss", """
            INSERT INTO losses (partition, low, high, since_ms, noticed_at_ms)
            VALUES (?, ?, ?, ?, ?)""");
    private static final Sql OPEN = Sql.named("open-losses", """
            SELECT id, partition, low, high, noticed_at_ms, restored_at IS NOT NULL
            FROM losses WHERE (lost IS NULL OR restored_at IS NULL) AND partition <> ALL (?)
            ORDER BY random() LIMIT 100""");
    private static final Sql SALES = Sql.named("sales-of-partition",
            "SELECT sale FROM sales WHERE partitions @> ARRAY[?::integer] AND state = 'loaded'");
    private static final Sql RESTORED = Sql.named("mark-loss-restored",
            "UPDATE losses SET restored_at = now() WHERE id = ? AND low = ?");
    private static final Sql COUNT = Sql.named("count-lost", """
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
                    AND known.at >= l.since_ms AND known.at < l.noticed_at_ms))
            WHERE id = ? AND lost IS NULL AND low = ? AND high = ? RETURNING lost""");
    private static final Sql HIGHEST = Sql.named("highest-sequence-numbers",
            "SELECT partition, seq FROM leases");
    private static final Sql KNOWN = Sql.named("loss-known", """
            SELECT 1 FROM losses WHERE partition = ? AND high >= ?
                AND noticed_at > now() - interval '1 day' LIMIT 1""");

    private LossRows() {
    }

    /** A loss that is not dealt with to its end. */
    record Loss(long id, int partition, long low, long high, long noticedAtMs, boolean restored) {
    }

    /** Enters what a pod noticed; several pods notice the same loss, each a part of it. */
    static void note(Connection connection, SequenceLost loss) throws SQLException {
        int partition = loss.partition().index();
        long low = loss.low();
        long high = loss.high();
        LOCK.call(connection, partition);
        Long known = FIND.first(connection, row -> row.getLong(1), loss.sinceMs(),
                loss.noticedAtMs(), partition, high, low);
        if (known == null) {
            INSERT.update(connection, partition, low, high, loss.sinceMs(), loss.noticedAtMs());
        } else {
            EXTEND.update(connection, low, high, loss.sinceMs(), loss.noticedAtMs(), known);
        }
    }

    /**
     * Losses that are to be restored or counted.
     *
     * @param refused partitions that are left out
     */
    static List<Loss> open(Connection connection, Set<Integer> refused) throws SQLException {
        return OPEN.list(connection, row -> new Loss(row.getLong(1), row.getInt(2),
                row.getLong(3), row.getLong(4), row.getLong(5), row.getBoolean(6)),
                SqlArray.integers(refused));
    }

    /** The sales in a partition that the ledger knows as loaded. */
    static List<String> sales(Connection connection, int partition) throws SQLException {
        return SALES.list(connection, row -> row.getString(1), partition);
    }

    static void restored(Connection connection, Loss loss) throws SQLException {
        RESTORED.update(connection, loss.id, loss.low);
    }

    /**
     * Counts how many of the lost numbers no store knows: the numbers, less those of orders and
     * grabs of the loss's time that the ledger or the dead letters have. The stream must be
     * drained past the loss.
     *
     * @return how many; −1 if they were counted before
     */
    static long count(Connection connection, Loss loss) throws SQLException {
        Long lost = COUNT.first(connection, row -> row.getLong(1), loss.id, loss.low, loss.high);
        return lost != null ? lost : -1;
    }

    /** The highest number that the ledger has stored, by partition. */
    static Map<Integer, Long> highest(Connection connection) throws SQLException {
        Map<Integer, Long> highest = new HashMap<>();
        HIGHEST.each(connection, row -> highest.put(row.getInt(1), row.getLong(2)));
        return highest;
    }

    /** Whether a loss is known that has all numbers up to this one. */
    static boolean isKnown(Connection connection, int partition, long high) throws SQLException {
        return KNOWN.exists(connection, partition, high);
    }
}
