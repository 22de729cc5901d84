package dev.rush.order;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.http.Json;
import dev.rush.order.sql.Sql;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Orders and grabs that the ledger cannot take for a reason of their own. One is the same when all
 * its fields are, so storing one again changes nothing, and a replayed one that fails again waits
 * again.
 */
@Singleton
class DeadLetters {

    private static final int NAME_MAX = 200;
    private static final Sql ADD = Sql.named("add-dead-letter", """
            INSERT INTO dead_letters (partition, fingerprint, entry, kind, sale, rain,
                order_id, fields, reason, tries, state)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?::jsonb, ?, ?, 'waiting')
            ON CONFLICT (partition, fingerprint) DO UPDATE SET state = 'waiting',
                reason = excluded.reason, tries = excluded.tries, entry = excluded.entry""");
    private static final Sql COUNT = Sql.named("count-dead-letters",
            "SELECT count(*) FROM dead_letters WHERE state = 'waiting'");
    private static final Sql LIST = Sql.named("dead-letters", """
            SELECT id, kind, sale, rain, order_id, fields::text, reason, tries, created_at
            FROM dead_letters WHERE state = 'waiting' ORDER BY id DESC LIMIT ?""");
    private static final Sql FIND = Sql.named("dead-letter",
            "SELECT partition, fields::text, state FROM dead_letters WHERE id = ?");
    private static final Sql MARK = Sql.named("mark-dead-letter-replayed", """
            UPDATE dead_letters SET state = 'replayed', replayed_at = now()
            WHERE id = ? AND state = 'waiting'""");

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

    /** Keeps an entry that has failed too often. */
    void add(int partition, long token, StreamEntry entry, String reason, int tries) {
        Map<String, String> fields = entry.fields();
        ledger.transact(connection -> {
            if (!Leases.fence(connection, partition, token, 0)) {
                throw new BatchStore.Fenced();
            }
            ADD.update(connection, partition, fingerprint(fields), entry.id(),
                    shortened(fields.getOrDefault("kind", "")), shortened(fields.get("sale")),
                    shortened(fields.get("rain")),
                    shortened(fields.getOrDefault("order", fields.get("grab"))),
                    clean(new String(json.write(fields), StandardCharsets.UTF_8)),
                    shortened(reason), tries);
            return null;
        });
    }

    private static String shortened(String text) {
        String kept = text == null ? null : text.replace("\0", "");
        return kept == null || kept.length() <= NAME_MAX ? kept : kept.substring(0, NAME_MAX);
    }

    /** PostgreSQL's JSON knows no character 0. */
    private static String clean(String jsonText) {
        return jsonText.replace("\\u0000", "");
    }

    private static String fingerprint(Map<String, String> fields) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            new TreeMap<>(fields).forEach((name, value) -> {
                digest.update((name + "\0" + value + "\0").getBytes(StandardCharsets.UTF_8));
            });
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** How many wait for an operator. */
    long waiting() {
        return ledger.transact(connection ->
                COUNT.one(connection, row -> row.getLong(1)));
    }

    /** Those that wait, newest first. */
    CompletableFuture<List<Map<String, Object>>> list(int most) {
        return ledger.read(connection -> LIST.list(connection, this::view, most));
    }

    private Map<String, Object> view(ResultSet row) throws SQLException {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", Long.toString(row.getLong(1)));
        fields.put("kind", row.getString(2));
        putIfThere(fields, "sale", row.getString(3));
        putIfThere(fields, "rain", row.getString(4));
        putIfThere(fields, "order", row.getString(5));
        fields.put("fields", fields(row.getString(6)));
        fields.put("reason", row.getString(7));
        fields.put("tries", row.getInt(8));
        fields.put("createdAt", row.getTimestamp(9).toInstant().toString());
        return fields;
    }

    private static void putIfThere(Map<String, Object> fields, String name, String value) {
        if (value != null) {
            fields.put(name, value);
        }
    }

    /**
     * Puts an entry back into its stream, then marks it. Should this be cut off in between, it is
     * in both, and counts once because orders are told apart by their ids.
     *
     * @return whether there is such a dead letter
     */
    CompletableFuture<Boolean> replay(long id) {
        return ledger.read(connection -> find(connection, id)).thenCompose(found -> {
            if (found == null) {
                return CompletableFuture.completedFuture(false);
            }
            if (!found.waiting) {
                return CompletableFuture.completedFuture(true);
            }
            return stream.add(found.partition, found.fields).thenCompose(added ->
                    LedgerProblems.begun(ledger.call(connection -> {
                        MARK.update(connection, id);
                        return true;
                    })));
        });
    }

    private record Found(Partition partition, Map<String, String> fields, boolean waiting) {
    }

    private Found find(Connection connection, long id) throws SQLException {
        return FIND.first(connection, row -> new Found(partitions.all().get(row.getInt(1)),
                fields(row.getString(2)), "waiting".equals(row.getString(3))), id);
    }

    private Map<String, String> fields(String text) {
        Map<String, String> fields = new LinkedHashMap<>();
        json.read(text.getBytes(StandardCharsets.UTF_8), JsonNode.class).fields()
                .forEachRemaining(field -> fields.put(field.getKey(), field.getValue().asText()));
        return fields;
    }
}
