package dev.rush.reconciliation.report;

import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The ledger's data of a rain at one instant, without grabs that Redis granted after it was read.
 *
 * @param retired  whether it has left Redis, or is about to
 * @param granted  grabs that the ledger stored
 * @param rejected grabs that a guard of the ledger rejected
 * @param failed   grabs that could not be stored
 * @param waiting  grabs in the stream that the ledger does not have
 */
record RainSums(boolean retired, Money prepared, Money granted, Money rejected, Money failed,
        Money waiting) {

    private static final Pattern AMOUNT = Pattern.compile("[0-9]{1,16}");

    private static final Sql RAIN = Sql.named("rain-in-books", """
            SELECT state NOT IN ('preparing', 'loaded'), month, partition, envelopes, amount,
                granted, granted_amount, rejected, rejected_amount
            FROM rains WHERE rain = ? AND state <> 'preparing'""");
    /** Like the query for orders in {@link BookSums}. */
    private static final Sql AFTER = Sql.named("grabs-after", BookSums.BY_INDEX, """
            (SELECT rain, amount, false FROM grabs
                WHERE month = ? AND partition = ? AND seq > ? AND granted_at_ms >= ?
                ORDER BY seq LIMIT ?)
            UNION ALL
            (SELECT rain, amount, true FROM rejected_grabs
                WHERE month = ? AND partition = ? AND seq > ? AND granted_at_ms >= ?
                ORDER BY seq LIMIT ?)""");
    private static final Sql FAILED = Sql.named("failed-of-rain", """
            SELECT order_id, fields ->> 'amount', seq, at_ms FROM retries
            WHERE subject = ? AND kind = 'grab' AND state <> 'replayed'""");

    private record Row(boolean retired, int month, int partition, Money prepared, Money granted,
            Money rejected) {
    }

    /**
     * Reads it in the caller's transaction, from one snapshot; null if there is no such rain.
     *
     * @param seq     the partition's highest number when Redis was read; {@link
     *                BookSums.Shard#NONE_AFTER} if the rain can grant nothing
     * @param redisMs when Redis was read, by its clock
     * @param stream  grab → amount, of the stream up to then, except those that the ledger has by
     *                now
     * @throws ProblemException {@code unavailable} if there were too many grabs since
     */
    static @Nullable RainSums read(Connection connection, String rain, long seq, long redisMs,
            Map<String, String> stream) throws SQLException {
        Row row = RAIN.first(connection, found -> new Row(found.getBoolean(1), found.getInt(2),
                found.getInt(3), Money.of(found, 4), Money.of(found, 6), Money.of(found, 8)),
                rain);
        if (row == null) {
            return null;
        }
        Money[] after = after(connection, rain, row, seq, redisMs);
        Map<String, String> failed = new HashMap<>();
        FAILED.each(connection, letter -> {
            if (letter.getLong(3) <= seq || letter.getLong(4) < redisMs) {
                failed.put(String.valueOf(letter.getString(1)), letter.getString(2));
            }
        }, rain);
        Set<String> ids = new HashSet<>(stream.keySet());
        ids.addAll(failed.keySet());
        Set<String> stored = StoredGrabs.of(connection, row.month, ids);
        failed.keySet().removeAll(stored);
        Map<String, String> waiting = new HashMap<>(stream);
        waiting.keySet().removeAll(stored);
        waiting.keySet().removeAll(failed.keySet());
        return new RainSums(row.retired, row.prepared, row.granted.minus(after[0]),
                row.rejected.minus(after[1]), sum(failed.values()), sum(waiting.values()));
    }

    /** Granted and rejected after Redis was read, recognized by number and time. */
    private static Money[] after(Connection connection, String rain, Row row, long seq,
            long redisMs) throws SQLException {
        Money[] after = {new Money(0, 0), new Money(0, 0)};
        int[] read = new int[2];
        int max = BookSums.AFTER_MAX;
        AFTER.each(connection, grab -> {
            int which = grab.getBoolean(3) ? 1 : 0;
            read[which]++;
            if (grab.getString(1).equals(rain)) {
                after[which] = after[which].plus(new Money(1, grab.getLong(2)));
            }
        }, row.month, row.partition, seq, redisMs, max, row.month, row.partition, seq, redisMs,
                max);
        if (read[0] == max || read[1] == max) {
            throw new ProblemException(Problem.of(OutcomeCode.UNAVAILABLE, Books.TOO_BUSY));
        }
        return after;
    }

    private static Money sum(Collection<String> amounts) {
        return new Money(amounts.size(), amounts.stream()
                .filter(text -> text != null && AMOUNT.matcher(text).matches())
                .mapToLong(Long::parseLong).sum());
    }
}
