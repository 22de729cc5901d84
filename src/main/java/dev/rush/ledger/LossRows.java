package dev.rush.ledger;

import dev.rush.order.sql.Sql;
import dev.rush.order.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What Redis lost, as rows of the ledger, each in the caller's transaction. */
public final class LossRows {

    /** Within this pods tell of one and the same loss. */
    private static final String SAME = "interval '10 minutes'";

    private static final Sql LOCK = Sql.named("lock-losses-of-partition",
            "SELECT pg_advisory_xact_lock(hashtextextended('loss ' || ?, 0))");
    private static final Sql EXTEND = Sql.named("widen-loss", """
            UPDATE losses SET low = LEAST(low, ?), high = GREATEST(high, ?),
                noticed_at_ms = LEAST(noticed_at_ms, ?),
                lost = CASE WHEN low <= ? AND high >= ? THEN lost END,
                restored_at = CASE WHEN low <= ? AND high >= ? THEN restored_at END
            WHERE id = (SELECT max(id) FROM losses WHERE partition = ?
                AND noticed_at > now() -\s""" + SAME + " AND low < ? AND high > ?)");
    private static final Sql INSERT = Sql.named("note-loss",
            "INSERT INTO losses (partition, low, high, noticed_at_ms) VALUES (?, ?, ?, ?)");
    private static final Sql OPEN = Sql.named("losses-to-mend", """
            SELECT id, partition, low, high, noticed_at_ms, restored_at IS NOT NULL
            FROM losses WHERE (lost IS NULL OR restored_at IS NULL) AND partition <> ALL (?)
            ORDER BY random() LIMIT 100""");
    private static final Sql RESTORED = Sql.named("loss-restored",
            "UPDATE losses SET restored_at = now() WHERE id = ? AND low = ?");
    private static final Sql COUNT = Sql.named("count-loss",
            "UPDATE losses SET lost = GREATEST(0, high - low - (SELECT count(DISTINCT seq) FROM ("
            + Arrays.stream(new String[] {"orders", "rejected", "grabs", "rejected_grabs"})
                    .map(table -> "SELECT seq FROM " + table + " WHERE month = ANY (?)"
                            + " AND partition = ? AND seq > ? AND seq <= ? AND "
                            + (table.endsWith("grabs") ? "granted" : "placed") + "_at_ms < ?")
                    .collect(Collectors.joining(" UNION ALL "))
            + " UNION ALL SELECT seq FROM retries WHERE partition = ? AND seq > ? AND seq <= ?"
            + " AND at_ms < ? AND state <> 'replayed') AS known))"
            + " WHERE id = ? AND lost IS NULL AND low = ? AND high = ? RETURNING lost");
    private static final Sql HIGHEST = Sql.named("last-seqs",
            "SELECT partition, seq FROM partitions");
    private static final Sql KNOWN = Sql.named("knows-loss", """
            SELECT 1 FROM losses WHERE partition = ? AND high >= ?
                AND noticed_at > now() - interval '1 day' LIMIT 1""");

    private LossRows() {
    }

    /**
     * A loss that is not dealt with to its end: numbers above low, up to high.
     *
     * @param noticedAtMs by Redis's clock
     */
    public record Loss(long id, int partition, long low, long high, long noticedAtMs,
            boolean restored) {
    }

    /** Enters what a pod noticed; several pods notice the same loss, each a part of it. */
    public static void note(Connection connection, int partition, long low, long high,
            long noticedAtMs) throws SQLException {
        LOCK.call(connection, partition);
        if (EXTEND.update(connection, low, high, noticedAtMs, low, high, low, high, partition,
                high, low) == 0) {
            INSERT.update(connection, partition, low, high, noticedAtMs);
        }
    }

    /**
     * At most 100 losses that are to be restored or counted.
     *
     * @param refused partitions that are left out
     */
    public static List<Loss> open(Connection connection, Set<Integer> refused)
            throws SQLException {
        return OPEN.list(connection, row -> new Loss(row.getLong(1), row.getInt(2),
                row.getLong(3), row.getLong(4), row.getLong(5), row.getBoolean(6)),
                SqlArray.integers(refused));
    }

    /** Notes that Redis has again what the ledger knows of a loss. */
    public static void restored(Connection connection, Loss loss) throws SQLException {
        RESTORED.update(connection, loss.id, loss.low);
    }

    /**
     * Counts how many of the lost numbers no store knows: the numbers, less those of orders and
     * grabs from before the loss that the ledger has, or is to try again. The stream must be
     * drained past the loss.
     *
     * @return how many; −1 if they were counted before
     */
    public static long count(Connection connection, Loss loss) throws SQLException {
        SqlArray months = SqlArray.integers(Months.live(connection));
        Object[] range = {months, loss.partition, loss.low, loss.high, loss.noticedAtMs};
        Object[] parameters = new Object[4 * range.length + 4 + 3];
        for (int table = 0; table < 4; table++) {
            System.arraycopy(range, 0, parameters, table * range.length, range.length);
        }
        System.arraycopy(range, 1, parameters, 4 * range.length, 4);
        System.arraycopy(new Object[] {loss.id, loss.low, loss.high}, 0, parameters,
                4 * range.length + 4, 3);
        Long lost = COUNT.first(connection, row -> row.getLong(1), parameters);
        return lost != null ? lost : -1;
    }

    /** The highest number that the ledger has stored, by partition. */
    public static Map<Integer, Long> highest(Connection connection) throws SQLException {
        Map<Integer, Long> highest = new HashMap<>();
        HIGHEST.each(connection, row -> highest.put(row.getInt(1), row.getLong(2)));
        return highest;
    }

    /** Whether a loss is known that has all numbers up to this one. */
    public static boolean isKnown(Connection connection, int partition, long high)
            throws SQLException {
        return KNOWN.exists(connection, partition, high);
    }
}
