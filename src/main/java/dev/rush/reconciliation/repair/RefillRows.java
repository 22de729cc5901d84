package dev.rush.reconciliation.repair;

import dev.rush.ledger.LossRows;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import dev.rush.order.ReportedStep;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** The ledger's rows about partitions that are behind Redis, in the caller's transaction. */
final class RefillRows {

    private static final Sql BEHIND = Sql.named("partitions-to-refill", """
            SELECT partition FROM partitions WHERE behind_since < 'infinity' ORDER BY 1""");
    /**
     * If Redis is emptied before the refill, only "had_seq" tells which numbers both stores lost.
     */
    private static final Sql BEGIN = Sql.named("partitions-behind", """
            INSERT INTO partitions (partition, behind_since, defers, had_seq)
            SELECT p, now(), true, had FROM unnest(?::integer[], ?::bigint[]) AS behind (p, had)
            ON CONFLICT (partition) DO UPDATE SET defers = true,
                behind_since = excluded.behind_since,
                had_seq = GREATEST(partitions.had_seq, excluded.had_seq)""");
    private static final Sql SALES = Sql.named("sales-to-refill", """
            SELECT sale, month FROM sales WHERE state = 'loaded' AND partitions @> ?::integer[]""");
    private static final Sql RAINS = Sql.named("rains-to-refill", """
            SELECT rain, month FROM rains WHERE state = 'loaded' AND partition = ?""");
    private static final Sql FILLED = Sql.named("partition-refilled", """
            UPDATE partitions SET seq = GREATEST(seq, ?), had_seq = 0, behind_since = NULL,
                defers = false
            WHERE partition = ? AND behind_since < 'infinity'""");
    private static final Sql HAD = Sql.named("number-before-refill",
            "SELECT had_seq FROM partitions WHERE partition = ? AND had_seq > ?");
    private static final Sql NOW = Sql.named("time-of-refill", "SELECT now()::text");
    private static final Sql POSTPONED = Sql.named("retries-of-before", """
            SELECT 1 FROM retries WHERE partition = ? AND state = 'retrying'
                AND tried_at <= ?::timestamptz AND next_at < now() + interval '2 minutes'
            LIMIT 1""");
    private static final Sql RETRIED = Sql.named("retried-orders", """
            SELECT order_id FROM retries
            WHERE order_id = ANY (?::text[]) AND state <> 'replayed'""");
    /** Subqueries force index lookups, whatever the planner estimates. */
    private static final Sql NOT_ENDED = Sql.named("orders-not-ended", """
            SELECT i FROM unnest(?::uuid[]) AS i
            JOIN LATERAL (SELECT 1 FROM orders o WHERE o.month = ? AND o.id = i LIMIT 1) o ON true
            LEFT JOIN LATERAL (SELECT true AS found FROM steps s
                WHERE s.month = ? AND s.order_id = i AND s.kind IN ('expired', 'returned')
                LIMIT 1) s ON true
            WHERE s.found IS NULL""");
    private static final String EVER = "infinity";

    private RefillRows() {
    }

    /** The partitions that are behind, and whose loss was checked. */
    static List<Integer> behind(Connection connection) throws SQLException {
        return BEHIND.list(connection, row -> row.getInt(1));
    }

    /**
     * Marks partitions as behind.
     *
     * @param had the highest number that each had, as Redis knows it; 0 if unknown
     */
    static void beginBehind(Connection connection, Map<Integer, Long> had) throws SQLException {
        List<Integer> all = List.copyOf(had.keySet());
        BEGIN.update(connection, SqlArray.integers(all), SqlArray.longs(all, had::get));
    }

    /** The loaded sales of a partition, with their months. */
    static Map<String, Integer> sales(Connection connection, int partition) throws SQLException {
        return months(connection, SALES, SqlArray.integers(List.of(partition)));
    }

    /** The loaded rains of a partition, with their months. */
    static Map<String, Integer> rains(Connection connection, int partition) throws SQLException {
        return months(connection, RAINS, partition);
    }

    private static Map<String, Integer> months(Connection connection, Sql query, Object parameter)
            throws SQLException {
        Map<String, Integer> months = new LinkedHashMap<>();
        query.each(connection, row -> months.put(row.getString(1), row.getInt(2)), parameter);
        return months;
    }

    /** The ledger's time, as text. */
    static String now(Connection connection) throws SQLException {
        return NOW.one(connection, row -> row.getString(1));
    }

    /** Whether orders of a partition are postponed. */
    static boolean hasPostponed(Connection connection, int partition) throws SQLException {
        return POSTPONED.exists(connection, partition, EVER);
    }

    /**
     * Whether orders of a partition are postponed that were not retried since a time.
     *
     * @param since from {@link #now}
     */
    static boolean hasUntriedPostponed(Connection connection, int partition, String since)
            throws SQLException {
        return POSTPONED.exists(connection, partition, since);
    }

    /** Those of these orders of one month that are stored, and did not expire or return. */
    static List<UUID> notEnded(Connection connection, int month, Collection<UUID> orders)
            throws SQLException {
        return NOT_ENDED.list(connection, row -> row.getObject(1, UUID.class),
                SqlArray.ids(orders), month, month);
    }

    /** Reported steps of orders that are in no store. */
    static List<ReportedStep> lost(Connection connection, Evidence evidence) throws SQLException {
        List<ReportedStep> missing = Evidence.missing(connection, List.of(evidence));
        Set<UUID> waiting =
                waiting(connection, missing.stream().map(ReportedStep::order).toList());
        return missing.stream().filter(step -> !waiting.contains(step.order())).toList();
    }

    /** Those of these orders that wait to be stored, or are dead letters. */
    private static Set<UUID> waiting(Connection connection, List<UUID> orders)
            throws SQLException {
        return RETRIED.list(connection, row -> UUID.fromString(row.getString(1)),
                SqlArray.texts(orders, UUID::toString)).stream().collect(Collectors.toSet());
    }

    /**
     * Marks a partition as no longer behind. Numbers that Redis knew when it began to be behind,
     * and knows no longer, are a loss.
     *
     * @param seq  the highest number that the ledger had, as Redis knows it now
     * @param atMs the present time, in milliseconds since 1970
     */
    static void endBehind(Connection connection, int partition, long seq, long atMs)
            throws SQLException {
        Long had = HAD.first(connection, row -> row.getLong(1), partition, seq);
        if (had != null && !LossRows.isKnown(connection, partition, seq, had)) {
            LossRows.note(connection,
                    new LossRows.Report(partition, seq, had, 0, atMs, false, 0));
        }
        FILLED.update(connection, seq, partition);
    }
}
