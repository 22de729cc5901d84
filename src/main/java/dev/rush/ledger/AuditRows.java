package dev.rush.ledger;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rush.ledger.sql.Sql;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Audit rows: changes of anything but orders. */
public final class AuditRows {

    private static final Sql INSERT = Sql.named("insert-audit", """
            INSERT INTO audit (id, epoch, actor, action, subject, before, after, cause)
            VALUES (?, ?, ?, ?, ?, ?::jsonb, ?::jsonb, ?) ON CONFLICT (id) DO NOTHING""");
    private static final JsonMapper MAPPER = new JsonMapper();

    private AuditRows() {
    }

    /**
     * Records a change in the transaction that makes it, unless it is already recorded.
     *
     * @param id      of the change; a redelivered change has the same id
     * @param action  the action, for example {@code sale.paused}
     * @param subject what was changed, for example a sale, {@code sale/sku} or {@code sale/order}
     * @param before  null, a string, a number, a boolean, or a map or list of these
     * @param after   as {@code before}
     * @param cause   the cause as stated by the actor, or null
     */
    public static void insert(Connection connection, LedgerState ledgerState, UUID id,
            Actor actor, String action, String subject, @Nullable Object before,
            @Nullable Object after, @Nullable String cause) throws SQLException {
        INSERT.update(connection, id, ledgerState.epoch(), actor.text(), action, subject,
                json(before), json(after), cause);
    }

    /** Records a change that a subject can have at most once, unless it is already recorded. */
    public static void insertOnce(Connection connection, LedgerState ledgerState, Actor actor,
            String action, String subject, @Nullable Object after) throws SQLException {
        UUID id = UUID.nameUUIDFromBytes((action + " " + subject)
                .getBytes(StandardCharsets.UTF_8));
        insert(connection, ledgerState, id, actor, action, subject, null, after, actor.cause());
    }

    private static @Nullable String json(@Nullable Object value) {
        try {
            return value == null ? null : MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
