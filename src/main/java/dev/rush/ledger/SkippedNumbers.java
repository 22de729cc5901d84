package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Sequence numbers that Redis did not give out, because the sequence was raised above them when a
 * sale was rebuilt, in the caller's transaction.
 */
public final class SkippedNumbers {

    private static final Sql NOTE = Sql.named("note-skipped", """
            INSERT INTO skipped_numbers (partition, low, high, at_ms) VALUES (?, ?, ?, ?)""");
    /**
     * If Redis lost a raise in turn, the numbers were given out later: then there is a loss below
     * them, or the sequence was raised over them once more.
     */
    private static final Sql COUNT = Sql.named("count-skipped", """
            SELECT COALESCE(sum(LEAST(s.high, r.high) - GREATEST(s.low, r.low)), 0)::bigint
            FROM (SELECT ?::bigint AS low, ?::bigint AS high, ?::bigint AS noticed) AS r,
                skipped_numbers s
            WHERE s.partition = ? AND s.low < r.high AND s.high > r.low
                AND s.at_ms >= ? AND s.at_ms < r.noticed
                AND NOT EXISTS (SELECT FROM skipped_numbers l
                    WHERE l.partition = s.partition AND l.low < s.high
                        AND l.at_ms > s.at_ms AND l.at_ms < r.noticed)
                AND NOT EXISTS (SELECT FROM losses l
                    WHERE l.partition = s.partition AND l.low < s.high
                        AND l.noticed_at_ms > s.at_ms AND l.noticed_at_ms < r.noticed)""");

    private SkippedNumbers() {
    }

    /**
     * Records that a partition's sequence was raised. Does nothing if it was high enough.
     *
     * @param low  the last number before
     * @param high the number to which it was to be raised
     * @param atMs when, by Redis's clock, in milliseconds since 1970
     */
    public static void note(Connection connection, int partition, long low, long high, long atMs)
            throws SQLException {
        if (low < high) {
            NOTE.update(connection, partition, low, high, atMs);
        }
    }

    /**
     * Counts the numbers above a low one, up to a high one, that were skipped between two times, in
     * milliseconds since 1970. If the first is unknown, none were, so that no loss is counted too
     * small.
     *
     * @param sinceMs 0 if unknown
     */
    static long count(Connection connection, int partition, long low, long high, long sinceMs,
            long untilMs) throws SQLException {
        return sinceMs == 0 ? 0 : COUNT.one(connection, row -> row.getLong(1),
                low, high, untilMs, partition, sinceMs);
    }
}
