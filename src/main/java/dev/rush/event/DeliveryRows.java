package dev.rush.event;

import dev.rush.event.Delivery.Result;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Rows of waiting and failed deliveries, in the caller's transaction. */
final class DeliveryRows {

    private static final Sql DUE = Sql.named("due-deliveries", """
            SELECT d.id, d.event, d.type, d.subject, d.at, d.body, d.tries FROM deliveries d
            WHERE d.webhook = ? AND d.state = 'waiting' AND d.next_at <= now()
                AND NOT EXISTS (SELECT FROM deliveries e WHERE e.webhook = d.webhook
                    AND e.subject = d.subject AND e.state = 'waiting' AND e.id < d.id)
            ORDER BY d.next_at, d.id LIMIT ?""");
    private static final Sql SUBJECTS = Sql.named("waiting-subjects", """
            SELECT subject, count(*), min(at) FROM deliveries
            WHERE webhook = ? AND state = 'waiting' GROUP BY subject""");
    private static final Sql INSERT = Sql.named("insert-deliveries", """
            INSERT INTO deliveries (webhook, event, type, subject, at, body, state, tries,
                tried_at, next_at, status, answer)
            SELECT ?, n.event, n.type, n.subject, n.at, n.body, 'waiting', n.tries,
                CASE WHEN n.tries > 0 THEN now() END, now() + n.delay * interval '1 ms',
                n.status, n.answer
            FROM unnest(?::text[], ?::text[], ?::text[], ?::timestamptz[], ?::text[],
                ?::integer[], ?::bigint[], ?::integer[], ?::text[]) WITH ORDINALITY
                AS n (event, type, subject, at, body, tries, delay, status, answer, place)
            ORDER BY n.place ON CONFLICT DO NOTHING""");
    private static final Sql DONE = Sql.named("delete-delivery",
            "DELETE FROM deliveries WHERE id = ?");
    private static final Sql AGAIN = Sql.named("retry-delivery", """
            UPDATE deliveries SET tries = ?, tried_at = now(), status = ?, answer = ?,
                next_at = now() + ? * interval '1 ms',
                state = CASE WHEN created_at <= now() - ? * interval '1 ms'
                    THEN 'failed' ELSE state END
            WHERE id = ? AND state = 'waiting' RETURNING state""");
    private static final Sql PRUNE = Sql.named("prune-deliveries", """
            DELETE FROM deliveries d USING (SELECT id FROM deliveries
                WHERE webhook = ? AND state = 'failed' ORDER BY id DESC OFFSET ?) old
            WHERE d.id = old.id""");
    private static final Sql REDELIVER = Sql.named("redeliver", """
            UPDATE deliveries SET state = 'waiting', next_at = now(),
                tries = CASE WHEN state = 'failed' THEN 0 ELSE tries END,
                created_at = CASE WHEN state = 'failed' THEN now() ELSE created_at END
            WHERE webhook = ? AND id = ?""");
    private static final String SHOWN = """
            SELECT id, event, type, subject, state, tries, created_at, tried_at,
                CASE WHEN state = 'waiting' THEN next_at END, status, answer
            FROM deliveries WHERE webhook = ?""";
    private static final Sql LIST = Sql.named("list-deliveries",
            SHOWN + " AND state = ANY (?) ORDER BY id DESC LIMIT ?");
    private static final Sql ONE = Sql.named("one-delivery", SHOWN + " AND id = ?");

    private DeliveryRows() {
    }

    /**
     * The waiting deliveries of a webhook.
     *
     * @param subjects number of waiting deliveries by subject
     * @param oldest   time of the oldest event; null if none waits
     */
    record Waiting(Map<String, Long> subjects, @Nullable Instant oldest) {

        long count() {
            return subjects.values().stream().mapToLong(count -> count).sum();
        }
    }

    /** Due deliveries, at most the first waiting one of each subject. */
    static List<Delivery> due(Connection connection, String webhook, int max)
            throws SQLException {
        return DUE.list(connection, row -> new Delivery(row.getLong(1), row.getString(2),
                row.getString(3), row.getString(4), row.getTimestamp(5).toInstant(),
                row.getString(6), row.getInt(7), null), webhook, max);
    }

    /** Counts waiting deliveries by subject. */
    static Waiting waiting(Connection connection, String webhook) throws SQLException {
        Map<String, Long> subjects = new HashMap<>();
        Instant[] oldest = new Instant[1];
        SUBJECTS.each(connection, row -> {
            subjects.put(row.getString(1), row.getLong(2));
            Instant at = row.getTimestamp(3).toInstant();
            oldest[0] = oldest[0] == null || at.isBefore(oldest[0]) ? at : oldest[0];
        }, webhook);
        return new Waiting(subjects, oldest[0]);
    }

    /** The delay before the next try of a delivery, in milliseconds. */
    @FunctionalInterface
    interface Delays {

        long afterTries(int tries);
    }

    /** Stores deliveries, in this order. Those that were never tried are due at once. */
    static void insert(Connection connection, String webhook, List<Delivery> deliveries,
            Delays delays) throws SQLException {
        if (!deliveries.isEmpty()) {
            INSERT.update(connection, webhook, SqlArray.texts(deliveries, Delivery::event),
                    SqlArray.texts(deliveries, Delivery::type),
                    SqlArray.texts(deliveries, Delivery::subject),
                    SqlArray.texts(deliveries, delivery -> delivery.at().toString()),
                    SqlArray.texts(deliveries, Delivery::body),
                    SqlArray.integers(deliveries.stream().map(Delivery::tries).toList()),
                    SqlArray.longs(deliveries, delivery -> delivery.tries() == 0 ? 0
                            : delays.afterTries(delivery.tries())),
                    SqlArray.integers(new ArrayList<>(deliveries.stream().map(delivery ->
                            delivery.result() == null || delivery.result().status() == 0 ? null
                                    : delivery.result().status()).toList())),
                    SqlArray.texts(deliveries, delivery -> delivery.result() == null ? null
                            : delivery.result().answer()));
        }
    }

    /** Removes a completed delivery. */
    static void delivered(Connection connection, Delivery delivery) throws SQLException {
        DONE.update(connection, delivery.row());
    }

    /**
     * Stores a failed try: schedules the next one, or gives the delivery up.
     *
     * @param giveUpMs age from which a delivery is given up
     * @return whether it was given up
     */
    static boolean tried(Connection connection, Delivery delivery, Delays delays, long giveUpMs)
            throws SQLException {
        Result result = Objects.requireNonNull(delivery.result());
        return "failed".equals(AGAIN.first(connection, row -> row.getString(1),
                delivery.tries(), result.status() == 0 ? null : result.status(),
                result.answer(), delays.afterTries(delivery.tries()), giveUpMs,
                delivery.row()));
    }

    /** Deletes the oldest failed deliveries above a maximum number. */
    static void prune(Connection connection, String webhook, int max) throws SQLException {
        PRUNE.update(connection, webhook, max);
    }

    /** Makes a delivery due at once; a failed one starts over. Returns whether it exists. */
    static boolean redeliver(Connection connection, String webhook, long id)
            throws SQLException {
        return REDELIVER.update(connection, webhook, id) == 1;
    }

    /** Deliveries in any of these states as shown to operators, newest first. */
    static List<WebhookAnswers.Delivered> list(Connection connection, String webhook,
            List<String> states, int max) throws SQLException {
        return LIST.list(connection, DeliveryRows::shown, webhook, SqlArray.texts(states), max);
    }

    /** A delivery as shown to operators. */
    static WebhookAnswers.Delivered find(Connection connection, String webhook, long id)
            throws SQLException {
        return ONE.one(connection, DeliveryRows::shown, webhook, id);
    }

    private static WebhookAnswers.Delivered shown(ResultSet row) throws SQLException {
        int status = row.getInt(10);
        return new WebhookAnswers.Delivered(Long.toString(row.getLong(1)), row.getString(2),
                row.getString(3), row.getString(4), row.getString(5), row.getInt(6),
                text(row.getTimestamp(7)), text(row.getTimestamp(8)), text(row.getTimestamp(9)),
                status == 0 ? null : status, row.getString(11));
    }

    private static @Nullable String text(Timestamp time) {
        return time == null ? null : time.toInstant().toString();
    }
}
