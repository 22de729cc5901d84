package dev.rush.event;

import dev.rush.ledger.Position;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of webhooks, in the caller's transaction. */
final class WebhookRows {

    private static final String COLUMNS = """
            SELECT webhook, url, types, secret, CASE WHEN old_until > now() THEN old_secret END,
                old_until, epoch, xact, place, created_at
            FROM webhooks""";
    private static final Sql ALL = Sql.named("webhooks", COLUMNS + " ORDER BY webhook");
    private static final Sql ONE = Sql.named("webhook", COLUMNS + " WHERE webhook = ?");
    /** Serializes insertions, so that concurrent ones cannot exceed the maximum number. */
    private static final Sql LOCK = Sql.named("lock-webhooks",
            "SELECT pg_advisory_xact_lock(hashtextextended('rush webhooks', 0))");
    private static final Sql INSERT = Sql.named("insert-webhook", """
            INSERT INTO webhooks (webhook, url, types, secret, epoch, xact, place)
            VALUES (?, ?, ?, ?, ?, ?, ?)""");
    private static final Sql CHANGE = Sql.named("change-webhook",
            "UPDATE webhooks SET url = ?, types = ? WHERE webhook = ?");
    private static final Sql ROTATE = Sql.named("rotate-secret", """
            UPDATE webhooks SET old_secret = secret, old_until = now() + interval '1 day',
                secret = ? WHERE webhook = ? AND secret <> ?""");
    private static final Sql DELETE = Sql.named("delete-webhook",
            "DELETE FROM webhooks WHERE webhook = ?");
    /** Updates no row if another pod has moved the position meanwhile. */
    private static final Sql MOVE = Sql.named("move-webhook", """
            UPDATE webhooks SET epoch = ?, xact = ?, place = ?
            WHERE webhook = ? AND epoch = ? AND xact = ? AND place = ?""");

    private WebhookRows() {
    }

    /** All webhooks, by id. */
    static List<Webhook> all(Connection connection) throws SQLException {
        return ALL.list(connection, WebhookRows::of);
    }

    /** The webhook of this id, or null. */
    static @Nullable Webhook find(Connection connection, String id) throws SQLException {
        return ONE.first(connection, WebhookRows::of, id);
    }

    /** Prevents other changes of webhooks until the transaction ends. */
    static void lock(Connection connection) throws SQLException {
        LOCK.call(connection);
    }

    /** Adds a webhook that receives the events after a position. */
    static void insert(Connection connection, String id, String url, List<String> types,
            String secret, Position from) throws SQLException {
        INSERT.update(connection, id, url, SqlArray.texts(types), secret, from.epoch(),
                from.xact(), from.place());
    }

    /** Changes a webhook. A new secret replaces the current one, which stays valid for a day. */
    static void change(Connection connection, String id, String url, List<String> types,
            @Nullable String secret) throws SQLException {
        CHANGE.update(connection, url, SqlArray.texts(types), id);
        if (secret != null) {
            ROTATE.update(connection, secret, id, secret);
        }
    }

    /** Removes a webhook with its deliveries. Returns whether it existed. */
    static boolean delete(Connection connection, String id) throws SQLException {
        return DELETE.update(connection, id) == 1;
    }

    /** Moves the position of a webhook. Returns false if another pod has moved it meanwhile. */
    static boolean move(Connection connection, Webhook webhook, Position to)
            throws SQLException {
        Position from = webhook.position();
        return MOVE.update(connection, to.epoch(), to.xact(), to.place(), webhook.id(),
                from.epoch(), from.xact(), from.place()) == 1;
    }

    private static Webhook of(ResultSet row) throws SQLException {
        List<String> secrets = new ArrayList<>();
        secrets.add(row.getString(4));
        String old = row.getString(5);
        if (old != null) {
            secrets.add(old);
        }
        return new Webhook(row.getString(1), row.getString(2),
                List.of((String[]) row.getArray(3).getArray()), List.copyOf(secrets),
                old == null ? null : row.getTimestamp(6).toInstant(),
                new Position(row.getInt(7), row.getLong(8), row.getLong(9)),
                row.getTimestamp(10).toInstant());
    }
}
