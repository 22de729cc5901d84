package dev.rush.ledger.writer;

import dev.rush.http.Json;
import dev.rush.ledger.Actor;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerProblems;
import dev.rush.ledger.sql.Sql;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters: entries that failed too often and wait for an operator, who may put them back into
 * their stream. One that fails again is retried and becomes a dead letter again.
 */
@Singleton
class DeadLetters {

    private static final Sql COUNT = Sql.named("count-waiting-retries",
            "SELECT count(*) FROM retries WHERE state = 'waiting'");
    private static final Sql LIST = Sql.named("waiting-retries", """
            SELECT id, kind, subject, order_id, fields::text, reason, tries, created_at
            FROM retries WHERE state = 'waiting' ORDER BY id DESC LIMIT ?""");
    private static final Sql FIND = Sql.named("waiting-retry", """
            SELECT partition, fields::text, state,
                (extract(epoch FROM next_at) * 1000000)::bigint, subject
            FROM retries WHERE id = ? AND state <> 'retrying'""");
    /** Not if it has failed again meanwhile, because that is a new dead letter, which is kept. */
    private static final Sql MARK = Sql.named("mark-retry-replayed", """
            UPDATE retries SET state = 'replayed', replayed_at = now()
            WHERE id = ? AND state = 'waiting'
                AND (extract(epoch FROM next_at) * 1000000)::bigint = ?""");

    private final Ledger ledger;
    private final Partitions partitions;
    private final OrderStream stream;
    private final Json json;

    @Inject
    DeadLetters(Ledger ledger, Partitions partitions, OrderStream stream, Json json) {
        this.ledger = ledger;
        this.partitions = partitions;
        this.stream = stream;
        this.json = json;
    }

    /** The number of dead letters. */
    long waiting() {
        return ledger.transact((connection, ledgerState) ->
                COUNT.one(connection, row -> row.getLong(1)));
    }

    /** Waiting dead letters, newest first. */
    CompletableFuture<List<Map<String, Object>>> list(int max) {
        return ledger.read((connection, ledgerState) -> LIST.list(connection, this::view, max));
    }

    private Map<String, Object> view(ResultSet row) throws SQLException {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", Long.toString(row.getLong(1)));
        String kind = row.getString(2);
        fields.put("kind", kind);
        putIfThere(fields, EntryWords.GRAB.isOf(kind) ? "rain" : "sale", row.getString(3));
        putIfThere(fields, "order", row.getString(4));
        fields.put("fields", Retries.fields(json, row.getString(5)));
        fields.put("reason", row.getString(6));
        fields.put("tries", row.getInt(7));
        fields.put("createdAt", row.getTimestamp(8).toInstant().toString());
        return fields;
    }

    private static void putIfThere(Map<String, Object> fields, String name, String value) {
        if (value != null) {
            fields.put(name, value);
        }
    }

    /**
     * Puts an entry back into its stream, then marks it. If this is interrupted in between, it is
     * in both, and counts once because orders are identified by their ids.
     *
     * @return whether there is such a dead letter
     */
    CompletableFuture<Boolean> replay(long id, Actor actor) {
        return ledger.read((connection, ledgerState) -> find(connection, id)).thenCompose(found -> {
            if (found == null) {
                return CompletableFuture.completedFuture(false);
            }
            if (!found.waiting) {
                return CompletableFuture.completedFuture(true);
            }
            return stream.add(found.partition, found.fields).thenCompose(added ->
                    LedgerProblems.begun(ledger.call((connection, ledgerState) -> {
                        MARK.update(connection, id, found.nextMicros);
                        AuditRows.insert(connection, ledgerState, UUID.randomUUID(), actor,
                                "dead-letter.replayed", "dead-letter/" + id, null,
                                found.subject, actor.cause());
                        return true;
                    })));
        });
    }

    private record Found(Partition partition, Map<String, String> fields, boolean waiting,
            long nextMicros, @Nullable String subject) {
    }

    private @Nullable Found find(Connection connection, long id) throws SQLException {
        return FIND.first(connection, row -> new Found(partitions.all().get(row.getInt(1)),
                Retries.fields(json, row.getString(2)), "waiting".equals(row.getString(3)),
                row.getLong(4), row.getString(5)), id);
    }
}
