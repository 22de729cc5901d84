package dev.rush.ledger.writer;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.RushConfig;
import dev.rush.http.Json;
import dev.rush.ledger.writer.Batch.Failed;
import dev.rush.ledger.sql.Sql;
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
import org.jboss.logging.Logger;

/**
 * Orders and grabs that the ledger cannot take for a reason of their own: tried again, less and
 * less often, and then dead letters, which wait for an operator. One is the same when all its
 * fields are, so that keeping one again changes nothing. All is done within the caller's
 * transaction.
 */
@Singleton
class Retries {

    private static final Logger LOG = Logger.getLogger(Retries.class);
    private static final int NAME_MAX = 200;
    private static final int AT_ONCE = 50;
    private static final Sql ADD = Sql.named("retry-later", """
            INSERT INTO retries (partition, fingerprint, kind, subject, order_id, user_id, key,
                seq, at_ms, fields, reason, tries, state, next_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb, ?, ?, ?, now() + ? * interval '1 ms')
            ON CONFLICT (partition, fingerprint) DO UPDATE SET state = excluded.state,
                reason = excluded.reason, tries = excluded.tries, next_at = excluded.next_at
            WHERE retries.state <> 'retrying'""");
    private static final Sql DUE = Sql.named("retries-due", """
            SELECT id, fields::text, tries FROM retries
            WHERE partition = ? AND state = 'retrying' AND next_at <= now()
            ORDER BY next_at LIMIT ?""");
    private static final Sql NEXT = Sql.named("next-retry", """
            SELECT greatest(0, (extract(epoch FROM next_at - now()) * 1000)::bigint)
            FROM retries WHERE partition = ? AND state = 'retrying' ORDER BY next_at LIMIT 1""");
    private static final Sql AGAIN = Sql.named("retry-again", """
            UPDATE retries SET tries = ?, reason = ?, state = ?,
                next_at = now() + ? * interval '1 ms' WHERE id = ?""");
    private static final Sql DONE =
            Sql.named("retry-done", "DELETE FROM retries WHERE id = ?");

    private final Json json;
    private final int triesMax;
    private final long pauseMs;

    /** One that is to be tried now. */
    record Due(long id, StreamEntry entry, int tries) {
    }

    @Inject
    Retries(Json json, RushConfig config) {
        this.json = json;
        this.triesMax = config.writer().tries();
        this.pauseMs = Math.max(1, config.writer().retry().toMillis());
    }

    /** Keeps what failed, to be tried again. */
    void add(Connection connection, int partition, Batch batch) throws SQLException {
        for (Failed one : batch.failed()) {
            int tries = one.counts() ? 1 : 0;
            Map<String, String> fields = kept(one.entry().fields());
            ADD.update(connection, partition, fingerprint(fields),
                    shortened(fields.getOrDefault(EntryWords.KIND, "")),
                    shortened(fields.getOrDefault("sale", fields.get("rain"))),
                    shortened(fields.getOrDefault("order", fields.get("grab"))),
                    shortened(fields.get("user")), emptyAsNull(shortened(fields.get("key"))),
                    one.entry().seq(), at(one.entry()),
                    new String(json.write(fields), StandardCharsets.UTF_8),
                    shortened(one.reason()), tries, state(tries), pause(tries));
            log(partition, one, tries, batch);
        }
    }

    /** Those whose time has come. */
    List<Due> due(Connection connection, int partition) throws SQLException {
        return DUE.list(connection, this::due, partition, AT_ONCE);
    }

    private Due due(ResultSet row) throws SQLException {
        return new Due(row.getLong(1), StreamEntry.of("retry " + row.getLong(1),
                fields(json, row.getString(2))), row.getInt(3));
    }

    /** In how many milliseconds the next one is due; null where none waits. */
    Long next(Connection connection, int partition) throws SQLException {
        return NEXT.first(connection, row -> row.getLong(1), partition);
    }

    /** Notes what came of one more try. */
    void tried(Connection connection, int partition, Due due, Batch batch) throws SQLException {
        if (batch.failed().isEmpty()) {
            DONE.update(connection, due.id());
        }
        for (Failed failed : batch.failed()) {
            int tries = due.tries() + (failed.counts() ? 1 : 0);
            AGAIN.update(connection, tries, shortened(failed.reason()), state(tries),
                    pause(failed.counts() ? tries : 0), due.id());
            log(partition, failed, tries, batch);
        }
    }

    private void log(int partition, Failed failed, int tries, Batch batch) {
        boolean isDead = tries >= triesMax;
        LOG.logf(isDead ? Logger.Level.ERROR : Logger.Level.WARN,
                "Entry %s of partition %d %s (try %d of %d): %s", failed.entry().id(), partition,
                isDead ? "is a dead letter" : "cannot be stored", tries, triesMax,
                failed.reason());
        if (isDead) {
            batch.giveUp();
        }
    }

    private String state(int tries) {
        return tries >= triesMax ? "waiting" : "retrying";
    }

    /** It doubles with each try that counts. */
    private long pause(int tries) {
        return pauseMs << Math.min(Math.max(0, tries - 1), 20);
    }

    private static long at(StreamEntry entry) {
        return entry instanceof StreamEntry.Purchase purchase ? purchase.placedAt()
                : entry instanceof StreamEntry.Grab grab ? grab.at() : 0;
    }

    private static String emptyAsNull(String text) {
        return text == null || text.isEmpty() ? null : text;
    }

    private static String shortened(String text) {
        String kept = text == null ? null : kept(text);
        return kept == null || kept.length() <= NAME_MAX ? kept : kept.substring(0, NAME_MAX);
    }

    /** PostgreSQL's texts and its JSON know no character 0. */
    private static String kept(String text) {
        return text.replace("\0", "");
    }

    /** Before it is spelled as JSON, whose text may have the same letters for something else. */
    private static Map<String, String> kept(Map<String, String> fields) {
        Map<String, String> kept = new LinkedHashMap<>();
        fields.forEach((name, value) -> kept.put(kept(name), kept(value)));
        return kept;
    }

    /** What was kept of one. */
    static Map<String, String> fields(Json json, String text) {
        Map<String, String> fields = new LinkedHashMap<>();
        json.read(text.getBytes(StandardCharsets.UTF_8), JsonNode.class).properties()
                .forEach(field -> fields.put(field.getKey(), field.getValue().asText()));
        return fields;
    }

    private static String fingerprint(Map<String, String> fields) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            new TreeMap<>(fields).forEach((name, value) ->
                    digest.update((name + "\0" + value + "\0").getBytes(StandardCharsets.UTF_8)));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
