package dev.rush.event;

import dev.rush.ledger.Position;
import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the ledger still knows of archived events, in the caller's transaction: the position of each
 * archived month's last event. A month is archived only after all webhooks, and Kafka if it was
 * ever fed, have read its events. A client of the feed that was slower gets an error, so that no
 * reader misses an event unnoticed.
 */
public final class ArchivedEvents {

    private static final Sql LAST = Sql.named("last-event-of-month", """
            SELECT epoch, xact::text, place FROM (
                (SELECT s.epoch, s.xact, s.place + ? AS place FROM steps s WHERE s.month = ?
                    ORDER BY s.epoch DESC, s.xact DESC, s.place DESC LIMIT 1)
                UNION ALL (SELECT b.epoch, b.xact, b.places_before + b.orders
                    FROM blocks b WHERE b.month = ?
                    ORDER BY b.epoch DESC, b.xact DESC, b.places_before DESC LIMIT 1)) AS last
            ORDER BY last.epoch DESC, last.xact DESC, last.place DESC LIMIT 1""");
    /** Keeps the first row: an archive run that resumes may no longer find all events. */
    private static final Sql RECORD = Sql.named("archive-last-event", """
            INSERT INTO archive.last_events (month, epoch, xact, place) VALUES (?, ?, ?, ?)
            ON CONFLICT (month) DO NOTHING""");
    private static final Sql MONTHS = Sql.named("months-of-archived-events",
            "SELECT month FROM archive.last_events");
    private static final Sql LAST_RUN = Sql.named("last-archive-run",
            "SELECT coalesce(max(run), 0) FROM archive.last_events");
    private static final Sql MISSED = Sql.named("archived-since", """
            SELECT 1 FROM archive.last_events
            WHERE run > ? AND (epoch, xact, place) > (?, ?, ?) LIMIT 1""");
    private static final Sql END = Sql.named("archived-month-ends-at", """
            SELECT 1 FROM archive.last_events WHERE epoch = ? AND xact = ? AND place <= ?""");

    private ArchivedEvents() {
    }

    /**
     * The readers that have not read all events of a month. Kafka counts if it is fed from the
     * journal, or has a position from when it was fed, because it would continue there.
     *
     * @param feedsKafka whether Kafka is fed from the journal
     * @return {@code webhook <id>} or {@code kafka} for each reader that is behind
     */
    public static List<String> readersBehind(Connection connection, int month, boolean feedsKafka)
            throws SQLException {
        Position last = last(connection, month);
        if (last == null) {
            return List.of();
        }
        List<String> behind = new ArrayList<>();
        WebhookRows.all(connection).stream()
                .filter(webhook -> webhook.position().compareTo(last) < 0)
                .forEach(webhook -> behind.add("webhook " + webhook.id()));
        Position kafka = SinkRows.find(connection, SinkRows.KAFKA);
        if (kafka == null && feedsKafka) {
            kafka = Position.START;
        }
        if (kafka != null && kafka.compareTo(last) < 0) {
            behind.add(SinkRows.KAFKA);
        }
        return behind;
    }

    /**
     * Records the position of a month's last event as the next archive run, before its tables are
     * detached. From then on no event of the month is read. Does nothing if the month has no
     * events, or was recorded before.
     */
    public static void recordLast(Connection connection, int month) throws SQLException {
        Position last = last(connection, month);
        if (last != null) {
            RECORD.update(connection, month, last.epoch(), last.xact(), last.place());
        }
    }

    /** The months whose events are archived, or are being archived. */
    static List<Integer> months(Connection connection) throws SQLException {
        return MONTHS.list(connection, row -> row.getInt(1));
    }

    /** The number of the last archive run that is recorded; 0 if there was none. */
    static int lastRun(Connection connection) throws SQLException {
        return LAST_RUN.one(connection, row -> row.getInt(1));
    }

    /**
     * Whether events after a position were archived by a run after a given one. To be called after
     * the events are read: a run records its last event before it detaches tables, so one that is
     * not recorded by now has hidden no event from the reader.
     */
    static boolean areMissed(Connection connection, Position at, int run) throws SQLException {
        return MISSED.exists(connection, run, at.epoch(), at.xact(), at.place());
    }

    /**
     * Whether a position is in the transaction of an archived month's last event, at or after that
     * event.
     */
    static boolean endAt(Connection connection, Position at) throws SQLException {
        return END.exists(connection, at.epoch(), at.xact(), at.place());
    }

    /** The position of the last event of a month; null if the ledger has none. */
    private static @Nullable Position last(Connection connection, int month)
            throws SQLException {
        return LAST.first(connection, row -> new Position(row.getInt(1),
                Long.parseLong(row.getString(2)), row.getLong(3)),
                EventReader.AFTER_ITEMS, month, month);
    }
}
