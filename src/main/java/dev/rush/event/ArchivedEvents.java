package dev.rush.event;

import dev.rush.ledger.Position;
import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The events of months that leave the ledger, in the caller's transaction. A month stays until
 * webhooks and Kafka have read its events; then every cursor before the last of them expires, so
 * that no reader skips one unnoticed.
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
    /** Adds no row if the archiving of the month was interrupted after it. */
    private static final Sql ADD = Sql.named("archive-events", """
            INSERT INTO archive.months (month, epoch, xact, place) VALUES (?, ?, ?, ?)
            ON CONFLICT (month) DO NOTHING""");
    private static final Sql AFTER = Sql.named("archived-events-after",
            "SELECT 1 FROM archive.months WHERE (epoch, xact, place) > (?, ?, ?)");

    private ArchivedEvents() {
    }

    /**
     * The readers that still have to read events of a month: {@code webhook} with its id, and
     * {@code kafka}.
     *
     * @param feedsKafka whether Kafka is fed from the journal
     */
    public static List<String> readersBehind(Connection connection, int month, boolean feedsKafka)
            throws SQLException {
        List<String> behind = new ArrayList<>();
        Position last = last(connection, month);
        if (last != null) {
            WebhookRows.all(connection).stream()
                    .filter(webhook -> webhook.position().compareTo(last) < 0)
                    .forEach(webhook -> behind.add("webhook " + webhook.id()));
            if (feedsKafka) {
                Position kafka = SinkRows.find(connection, SinkRows.KAFKA);
                if (kafka == null || kafka.compareTo(last) < 0) {
                    behind.add(SinkRows.KAFKA);
                }
            }
        }
        return behind;
    }

    /** Records that the events of a month leave the ledger. */
    public static void add(Connection connection, int month) throws SQLException {
        Position last = last(connection, month);
        if (last != null) {
            ADD.update(connection, month, last.epoch(), last.xact(), last.place());
        }
    }

    /** Whether events after a position have left the ledger. */
    static boolean areAfter(Connection connection, Position position) throws SQLException {
        return AFTER.exists(connection, position.epoch(), position.xact(), position.place());
    }

    /** The position of the last event of a month; null if the ledger has none. */
    private static @Nullable Position last(Connection connection, int month)
            throws SQLException {
        return LAST.first(connection, row -> new Position(row.getInt(1),
                Long.parseLong(row.getString(2)), row.getLong(3)),
                EventReader.AFTER_ITEMS, month, month);
    }
}
