package dev.rush.ledger;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rush.ledger.sql.Sql;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;

/** Changes that are not an order's. */
public final class AuditRows {

    private static final Sql INSERT = Sql.named("insert-audit", """
            INSERT INTO audit (id, epoch, actor, action, subject, before, after, cause)
            VALUES (?, ?, ?, ?, ?, ?::jsonb, ?::jsonb, ?) ON CONFLICT (id) DO NOTHING""");
    private static final JsonMapper MAPPER = new JsonMapper();

    private AuditRows() {
    }

    /**
     * Notes a change in the transaction that makes it, unless it is noted already.
     *
     * @param id      of the change; one that is delivered again has the same
     * @param action  what was done, for example {@code sale.paused}
     * @param subject what it was done to: a sale, {@code sale/sku}, a rain, {@code blocklist/name}
     * @param before  null, a text, a number, a boolean, or a map or list of those
     * @param after   likewise
     * @param cause   why, in the words of whoever did it; or null
     */
    public static void insert(Connection connection, Standing standing, UUID id, Actor actor,
            String action, String subject, Object before, Object after, String cause)
            throws SQLException {
        INSERT.update(connection, id, standing.epoch(), actor.text(), action, subject,
                json(before), json(after), cause);
    }

    /** Notes something that happens to a subject at most once. */
    public static void insertOnce(Connection connection, Standing standing, Actor actor,
            String action, String subject, Object after) throws SQLException {
        UUID id = UUID.nameUUIDFromBytes((action + " " + subject)
                .getBytes(StandardCharsets.UTF_8));
        insert(connection, standing, id, actor, action, subject, null, after, null);
    }

    private static String json(Object value) {
        try {
            return value == null ? null : MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
