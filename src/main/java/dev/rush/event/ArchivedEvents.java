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
 * archived month's last event. A month is archived only after all webhooks, and Kafka if it is fed,
 * have read its events. A client of the feed that was slower gets an error, so that no reader
 * misses an event unnoticed.
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
    /** Keeps the first row: a resumed archiving may no longer find all events. */
    private static final Sql RECORD = Sql.named("archive-last-event", """
            INSERT INTO archive.last_events (month, epoch, xact, place) VALUES (?, ?, ?, ?)
            ON CONFLICT (month) DO NOTHING""");
    private static final Sql RENUMBER = Sql.named("renumber-archiving",
            "UPDATE archive.last_events SET archiving = DEFAULT WHERE month = ?");
    private static final Sql SINCE = Sql.named("archived-since", """
            SELECT coalesce(max(archiving), 0), coalesce(bool_or(
                archiving > ? AND (epoch, xact, place) > (?, ?, ?)), false)
            FROM archive.last_events""");
    private static final Sql END = Sql.named("archived-month-ends-at", """
            SELECT 1 FROM archive.last_events WHERE epoch = ? AND xact = ? AND place <= ?""");

    /**
     * What happened since a client got its cursor.
     *
     * @param archiving number of the last archiving; 0 if there was none
     * @param isMissed  whether events that the client has not read were archived
     */
    record Since(int archiving, boolean isMissed) {
    }

    private ArchivedEvents() {
    }

    /**
     * The readers that still have to read events of a month. Kafka is one if it is fed from the
     * journal, and also if it was: it continues at its position once it is fed again.
     *
     * @param feedsKafka whether Kafka is fed from the journal
     * @return {@code webhook} with its id for each webhook, and {@code kafka}
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
        if (kafka == null ? feedsKafka : kafka.compareTo(last) < 0) {
            behind.add(SinkRows.KAFKA);
        }
        return behind;
    }

    /**
     * Records the position of a month's last event, before its tables are detached. Does nothing if
     * the month has no events, or was recorded before.
     */
    public static void recordLast(Connection connection, int month) throws SQLException {
        Position last = last(connection, month);
        if (last != null) {
            RECORD.update(connection, month, last.epoch(), last.xact(), last.place());
        }
    }

    /**
     * Gives an archiving a new number once all tables are detached, because clients that began to
     * read meanwhile may have missed events too.
     */
    public static void renumber(Connection connection, int month) throws SQLException {
        RENUMBER.update(connection, month);
    }

    /**
     * What was archived since a client got its cursor. Called after its events are read: an
     * archiving that is not yet recorded then has not detached tables before.
     */
    static Since since(Connection connection, Cursor cursor) throws SQLException {
        Position at = cursor.position();
        return SINCE.one(connection, row -> new Since(row.getInt(1), row.getBoolean(2)),
                cursor.archiving(), at.epoch(), at.xact(), at.place());
    }

    /** Whether a reader at a position has just read the last event of an archived month. */
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
