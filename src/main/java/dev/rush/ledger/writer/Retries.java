package dev.rush.ledger.writer;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.RushConfig;
import dev.rush.http.Json;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.writer.Batch.Failed;
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
import org.jspecify.annotations.Nullable;

/**
 * Orders and grabs that the ledger cannot store for a reason of their own: they are retried with
 * backoff, and then become dead letters, which wait for an operator. Two are the same if all of
 * their fields are, so storing one again changes nothing. All methods work in the caller's
 * transaction.
 */
@Singleton
class Retries {

    private static final Logger LOG = Logger.getLogger(Retries.class);
    private static final int NAME_MAX = 200;
    private static final int AT_ONCE = 50;
    /**
     * Pause of entries that wait for something else: while the ledger is behind, frequent retries
     * would cost too much.
     */
    private static final long POSTPONED_MS = 1000;
    private static final Sql ADD = Sql.named("retry-later", """
            INSERT INTO retries (partition, fingerprint, kind, subject, order_id, user_id, key,
                seq, at_ms, fields, reason, tries, state, next_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb, ?, ?, ?, now() + ? * interval '1 ms')
            ON CONFLICT (partition, fingerprint) DO UPDATE SET state = excluded.state,
                reason = excluded.reason, tries = excluded.tries, tried_at = now(),
                next_at = excluded.next_at
            WHERE retries.state <> 'retrying'""");
    private static final Sql DUE = Sql.named("retries-due", """
            SELECT id, fields::text, tries FROM retries
            WHERE partition = ? AND state = 'retrying' AND next_at <= now()
            ORDER BY next_at LIMIT ?""");
    private static final Sql NEXT = Sql.named("next-retry", """
            SELECT greatest(0, (extract(epoch FROM next_at - now()) * 1000)::bigint)
            FROM retries WHERE partition = ? AND state = 'retrying' ORDER BY next_at LIMIT 1""");
    private static final Sql AGAIN = Sql.named("retry-again", """
            UPDATE retries SET tries = ?, reason = ?, state = ?, tried_at = now(),
                next_at = now() + ? * interval '1 ms' WHERE id = ?""");
    private static final Sql DONE =
            Sql.named("retry-done", "DELETE FROM retries WHERE id = ?");

    private final Json json;
    private final int triesMax;
    private final long pauseMs;

    /** An entry whose retry is due. */
    record Due(long id, StreamEntry entry, int tries) {
    }

    @Inject
    Retries(Json json, RushConfig config) {
        this.json = json;
        this.triesMax = config.writer().tries();
        this.pauseMs = Math.max(1, config.writer().retry().toMillis());
    }

    /** Stores what failed, to be retried. */
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
                    shortened(one.reason()), tries, state(tries), pause(one, tries));
            log(partition, one, tries, batch, Logger.Level.WARN);
        }
    }

    /** Entries whose retry is due. */
    List<Due> due(Connection connection, int partition) throws SQLException {
        return DUE.list(connection, this::due, partition, AT_ONCE);
    }

    private Due due(ResultSet row) throws SQLException {
        return new Due(row.getLong(1), StreamEntry.of("retry " + row.getLong(1),
                fields(json, row.getString(2))), row.getInt(3));
    }

    /** Milliseconds until the next retry is due; null if there is none. */
    @Nullable Long next(Connection connection, int partition) throws SQLException {
        return NEXT.first(connection, row -> row.getLong(1), partition);
    }

    /** Records the result of a retry. A refused order stays due until {@link #done}. */
    void tried(Connection connection, int partition, Due due, Batch batch) throws SQLException {
        if (batch.failed().isEmpty() && !batch.refusesOrder()) {
            done(connection, due);
        }
        for (Failed failed : batch.failed()) {
            int tries = due.tries() + (failed.counts() ? 1 : 0);
            AGAIN.update(connection, tries, shortened(failed.reason()), state(tries),
                    pause(failed, tries), due.id());
            log(partition, failed, tries, batch,
                    failed.counts() ? Logger.Level.WARN : Logger.Level.DEBUG);
        }
    }

    /** Removes an entry that need not be retried again. */
    void done(Connection connection, Due due) throws SQLException {
        DONE.update(connection, due.id());
    }

    private void log(int partition, Failed failed, int tries, Batch batch,
            Logger.Level level) {
        boolean isDead = tries >= triesMax;
        LOG.logf(isDead ? Logger.Level.ERROR : level,
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

    /** The backoff, which doubles with each try that counts. */
    private long pause(Failed failed, int tries) {
        return !failed.counts() ? Math.max(pauseMs, POSTPONED_MS)
                : pauseMs << Math.min(Math.max(0, tries - 1), 20);
    }

    private static long at(StreamEntry entry) {
        return entry instanceof StreamEntry.Purchase purchase ? purchase.placedAt()
                : entry instanceof StreamEntry.Grab grab ? grab.at() : 0;
    }

    private static @Nullable String emptyAsNull(@Nullable String text) {
        return text == null || text.isEmpty() ? null : text;
    }

    private static @Nullable String shortened(@Nullable String text) {
        String kept = text == null ? null : kept(text);
        return kept == null || kept.length() <= NAME_MAX ? kept : kept.substring(0, NAME_MAX);
    }

    /** Replaces the character 0, which PostgreSQL's text and JSON cannot store. */
    private static String kept(String text) {
        return text.replace("\0", "");
    }

    /**
     * Done before formatting as JSON, whose text may contain the same letters with another meaning.
     */
    private static Map<String, String> kept(Map<String, String> fields) {
        Map<String, String> kept = new LinkedHashMap<>();
        fields.forEach((name, value) -> kept.put(kept(name), kept(value)));
        return kept;
    }

    /** The stored fields of an entry. */
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
