package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Losses of Redis, as rows of the ledger. */
public final class LossRows {

    private static final Sql LOCK = Sql.named("lock-loss",
            "SELECT pg_advisory_xact_lock(hashtextextended('loss ' || ?, 0))");
    /**
     * Reports with equal exact times are about one loss; two exact ones with different times are
     * not. Other reports are about one loss if their numbers overlap and their tenures or times
     * agree, unless one loss was noticed before the tenure of the other began, or just then: that
     * tenure began because of it. Nor are they if the sequence was raised between them, because a
     * raise puts it above all numbers known then; nor, if a tenure is unknown, if the later one
     * found Redis at a lower number, because the number only grows between losses.
     */
    private static final Sql SAME = Sql.named("same-loss", """
            SELECT id FROM losses l, (SELECT ?::bigint AS since, ?::bigint AS noticed,
                ?::boolean AS is_exact, ?::bigint AS tenure, ?::bigint AS new_low) AS report
            WHERE partition = ? AND (exact AND is_exact AND since_ms = since
                    AND noticed_at_ms = noticed
                OR low < ? AND high > new_low
                AND (tenure > 0 AND tenure_begun_ms > 0 OR CASE WHEN noticed < noticed_at_ms
                    THEN low >= new_low ELSE low <= new_low END)
                AND (tenure_begun_ms = tenure
                    OR tenure_begun_ms < noticed AND tenure < noticed_at_ms)
                AND NOT EXISTS (SELECT FROM skipped_numbers s WHERE s.partition = l.partition
                    AND s.at_ms > LEAST(l.noticed_at_ms, noticed)
                    AND s.at_ms < GREATEST(l.noticed_at_ms, noticed))
                AND CASE
                    WHEN NOT (exact OR is_exact) THEN l.noticed_at > now() - interval '10 min'
                        AND (since_ms = 0 OR since = 0 OR tenure_begun_ms = tenure)
                    WHEN exact AND is_exact THEN false
                    WHEN tenure_begun_ms = tenure AND tenure > 0
                        THEN abs(noticed - noticed_at_ms) <= 600000
                    WHEN exact THEN noticed
                        BETWEEN GREATEST(since_ms, noticed_at_ms - 60000) AND noticed_at_ms + 60000
                    ELSE noticed_at_ms
                        BETWEEN GREATEST(since, noticed - 60000) AND noticed + 60000 END)
            ORDER BY exact AND is_exact DESC, id DESC LIMIT 1""");
    /** Exact times replace others. */
    private static final Sql WIDEN = Sql.named("widen-loss", """
            UPDATE losses SET low = LEAST(low, new_low), high = GREATEST(high, new_high),
                since_ms = CASE WHEN exact = is_exact THEN GREATEST(since_ms, since)
                    WHEN exact THEN since_ms ELSE since END,
                noticed_at_ms = CASE WHEN exact = is_exact THEN LEAST(noticed_at_ms, noticed)
                    WHEN exact THEN noticed_at_ms ELSE noticed END,
                exact = exact OR is_exact, tenure_begun_ms = GREATEST(tenure_begun_ms, tenure),
                lost_before = GREATEST(lost_before, lost),
                lost = CASE WHEN low <= new_low AND high >= new_high
                    AND (exact OR NOT is_exact AND since_ms >= since)
                    AND tenure_begun_ms >= tenure THEN lost END,
                counted = CASE WHEN low <= new_low AND high >= new_high
                    AND (exact OR NOT is_exact AND since_ms >= since)
                    AND tenure_begun_ms >= tenure THEN counted END,
                restored_at = CASE WHEN low <= new_low AND high >= new_high THEN restored_at END
            FROM (SELECT ?::bigint AS new_low, ?::bigint AS new_high, ?::bigint AS since,
                ?::bigint AS noticed, ?::boolean AS is_exact, ?::bigint AS tenure) AS report
            WHERE id = ?""");
    private static final Sql ENTER = Sql.named("enter-loss", """
            INSERT INTO losses (partition, low, high, since_ms, noticed_at_ms, exact,
                tenure_begun_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?)""");
    private static final Sql OPEN = Sql.named("losses-to-repair", """
            SELECT id, partition, low, high, since_ms, noticed_at_ms, tenure_begun_ms,
                restored_at IS NOT NULL, counted
            FROM losses WHERE (lost IS NULL OR restored_at IS NULL) AND partition <> ALL (?)
            ORDER BY random() LIMIT 100""");
    /** Counting starts again from the beginning. */
    private static final Sql RESTORED = Sql.named("loss-restored", """
            UPDATE losses SET restored_at = now(), counted = CASE WHEN ? THEN low END, missing = 0
            WHERE id = ? AND low = ?""");
    private static final String IN_RANGE = " WHERE month = ANY (?) AND partition = ?"
            + " AND seq > ? AND seq <= ? UNION ALL ";
    /**
     * An order does not account for its number if an earlier loss, noticed before the tenure of
     * this one began, took the number after the order was placed: the number was given out again.
     * Skipped numbers are not lost, unless Redis lost the raise and gave them out: then an order
     * has one, a later raise overlaps, or a loss noticed before that tenure reaches below them. If
     * it is unknown since when numbers were given out, none count as skipped, so that no loss is
     * counted too small.
     */
    private static final Sql KNOWN_NUMBERS = Sql.named("known-of-loss", """
            WITH stored AS (
                SELECT seq, placed_at_ms AS at FROM orders""" + IN_RANGE + """
                SELECT seq, placed_at_ms FROM rejected""" + IN_RANGE + """
                SELECT seq, granted_at_ms FROM grabs""" + IN_RANGE + """
                SELECT seq, granted_at_ms FROM rejected_grabs""" + IN_RANGE + """
                SELECT seq, at_ms FROM retries WHERE state <> 'replayed'
                    AND partition = ? AND seq > ? AND seq <= ?),
            loss AS (SELECT ?::integer AS partition, ?::bigint AS low, ?::bigint AS high,
                ?::bigint AS since, ?::bigint AS noticed, ?::bigint AS tenure),
            earlier AS MATERIALIZED (SELECT l.low, l.high, l.noticed_at_ms AS at
                FROM losses l, loss WHERE l.partition = loss.partition AND l.low < loss.high
                    AND l.high > loss.low AND l.noticed_at_ms <= tenure
                    AND l.noticed_at_ms > since)
            SELECT count(DISTINCT seq) FROM (
                SELECT k.seq FROM stored k, loss WHERE k.at >= since AND k.at < noticed
                    AND NOT EXISTS (SELECT FROM earlier e
                        WHERE e.low < k.seq AND e.high >= k.seq AND e.at > k.at)
                UNION ALL SELECT n
                FROM loss, skipped_numbers s,
                    generate_series(GREATEST(s.low, loss.low) + 1, LEAST(s.high, loss.high)) AS n
                WHERE s.partition = loss.partition AND since > 0
                    AND s.at_ms >= since AND s.at_ms < noticed
                    AND NOT EXISTS (SELECT FROM stored k WHERE k.seq > s.low AND k.seq <= s.high
                        AND k.at >= s.at_ms AND k.at < noticed)
                    AND NOT EXISTS (SELECT FROM skipped_numbers l
                        WHERE l.partition = s.partition AND l.low < s.high
                            AND l.at_ms > s.at_ms AND l.at_ms < noticed)
                    AND NOT EXISTS (SELECT FROM losses l
                        WHERE l.partition = s.partition AND l.low < s.high
                            AND l.noticed_at_ms > s.at_ms AND l.noticed_at_ms <= tenure)
                ) AS known""");
    private static final Sql SKIP = Sql.named("note-skipped", """
            INSERT INTO skipped_numbers (partition, low, high, at_ms) VALUES (?, ?, ?, ?)""");
    private static final Sql COUNT = Sql.named("count-loss", """
            UPDATE losses l SET counted = part.high, missing = l.missing + part.missing,
                lost = CASE WHEN part.high = l.high THEN l.missing + part.missing END
            FROM (SELECT ?::bigint AS low, ?::bigint AS high, ?::bigint AS missing) AS part
            WHERE l.id = ? AND l.lost IS NULL AND l.counted = part.low AND l.low = ?
                AND l.high = ? AND l.since_ms = ? AND l.noticed_at_ms = ?
                AND l.tenure_begun_ms = ?
            RETURNING COALESCE(l.lost, -1), GREATEST(l.lost - l.lost_before, 0)""");
    private static final Sql LAST_SEQS =
            Sql.named("last-seqs", "SELECT partition, seq FROM partitions");
    private static final Sql KNOWN = Sql.named("is-loss-known", """
            SELECT 1 FROM losses l WHERE partition = ? AND low <= ? AND high >= ?
                AND noticed_at > now() - interval '1 day'
                AND NOT EXISTS (SELECT FROM skipped_numbers s
                    WHERE s.partition = l.partition AND s.at_ms > l.noticed_at_ms) LIMIT 1""");

    /** Numbers counted per transaction, because a Redis that was emptied lost all of them. */
    static final long PART = 100_000;

    private LossRows() {
    }

    /**
     * A loss that is not completely repaired and counted.
     *
     * @param restored whether Redis again has the orders that the ledger had when the loss was
     *                 detected
     * @param counted  the number up to which it is counted; null until Redis again has all orders
     *                 that reach the ledger
     */
    public record Loss(long id, int partition, long low, long high, long sinceMs,
            long noticedAtMs, long tenureBegunMs, boolean restored, @Nullable Long counted) {
    }

    /**
     * The result of counting a part.
     *
     * @param upTo    the last number counted
     * @param lost    the total number lost; negative while there is more to count
     * @param further by how much this exceeds the most that was counted before
     */
    public record Count(long upTo, long lost, long further) {
    }

    /**
     * A loss that a pod detected.
     *
     * @param low         numbers above it are lost
     * @param high        the last lost number
     * @param sinceMs     lower bound of the lost orders' times; 0 if unknown
     * @param noticedAtMs when Redis began to give out these numbers again, or was seen without
     *                    them
     * @param exact       whether both times are beginnings of tenures
     * @param tenureBegunMs when the last tenure known before the loss began; 0 if unknown
     */
    public record Report(int partition, long low, long high, long sinceMs, long noticedAtMs,
            boolean exact, long tenureBegunMs) {
    }

    /** Records what a pod detected; several pods may detect parts of the same loss. */
    public static void note(Connection connection, Report report) throws SQLException {
        LOCK.call(connection, report.partition);
        Long known = SAME.first(connection, row -> row.getLong(1), report.sinceMs,
                report.noticedAtMs, report.exact, report.tenureBegunMs, report.low,
                report.partition, report.high);
        if (known == null) {
            ENTER.update(connection, report.partition, report.low, report.high, report.sinceMs,
                    report.noticedAtMs, report.exact, report.tenureBegunMs);
        } else {
            WIDEN.update(connection, report.low, report.high, report.sinceMs, report.noticedAtMs,
                    report.exact, report.tenureBegunMs, known);
        }
    }

    /**
     * Losses that must still be repaired or counted.
     *
     * @param refused partitions to leave out
     */
    public static List<Loss> open(Connection connection, Collection<Integer> refused)
            throws SQLException {
        return OPEN.list(connection, row -> new Loss(row.getLong(1), row.getInt(2),
                row.getLong(3), row.getLong(4), row.getLong(5), row.getLong(6),
                row.getLong(7), row.getBoolean(8), row.getObject(9, Long.class)),
                SqlArray.integers(refused));
    }

    /**
     * Records that Redis again has all orders of a loss that the ledger has.
     *
     * @param drained whether the stream is drained past the loss, so that it can be counted
     */
    public static void restored(Connection connection, Loss loss, boolean drained)
            throws SQLException {
        RESTORED.update(connection, drained, loss.id, loss.low);
    }

    /**
     * Counts how many of the next lost numbers no store has: all of them, minus those that were
     * skipped, and those of orders and grabs from the time of the loss that are in the ledger, in
     * retry or dead letters.
     *
     * @param low    the last number counted before
     * @param months all in which the partition may have orders
     * @return null if it was counted before, or grew
     */
    public static @Nullable Count count(Connection connection, Loss loss, long low,
            Collection<Integer> months) throws SQLException {
        SqlArray all = SqlArray.integers(months);
        int partition = loss.partition;
        long high = Math.min(loss.high, low + PART);
        long known = KNOWN_NUMBERS.one(connection, row -> row.getLong(1), all, partition, low,
                high, all, partition, low, high, all, partition, low, high, all, partition, low,
                high, partition, low, high, partition, low, high, loss.sinceMs,
                loss.noticedAtMs, loss.tenureBegunMs);
        return COUNT.first(connection, row -> new Count(high, row.getLong(1), row.getLong(2)), low,
                high, high - low - known, loss.id, loss.low, loss.high, loss.sinceMs,
                loss.noticedAtMs, loss.tenureBegunMs);
    }

    /** The highest number that the ledger has stored, by partition. */
    public static Map<Integer, Long> lastSeqs(Connection connection) throws SQLException {
        Map<Integer, Long> last = new HashMap<>();
        LAST_SEQS.each(connection, row -> last.put(row.getInt(1), row.getLong(2)));
        return last;
    }

    /**
     * Records that a partition's sequence was raised, so that numbers were skipped. Does nothing if
     * it was high enough.
     *
     * @param low  the last number before
     * @param high the number to which it was to be raised
     * @param atMs when, by Redis's clock, in milliseconds since 1970
     */
    public static void noteSkipped(Connection connection, int partition, long low, long high,
            long atMs) throws SQLException {
        if (low < high) {
            SKIP.update(connection, partition, low, high, atMs);
        }
    }

    /** Whether a recorded loss, after the last raise, contains all numbers in this range. */
    public static boolean isKnown(Connection connection, int partition, long low, long high)
            throws SQLException {
        return KNOWN.exists(connection, partition, low, high);
    }
}
