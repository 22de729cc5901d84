package dev.rush.ledger.writer;

import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import dev.rush.ledger.writer.StreamEntry.Grab;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Stores grabs, in the caller's transaction. An envelope is paid once, and a user's n-th grab is
 * stored once: unique indexes refuse what a failover of Redis handed out again, and the grab is
 * kept as refused, with its reason in the audit.
 */
@Singleton
class GrabStore {

    private static final Sql LOCK = Sql.named("lock-rain-left", """
            SELECT month, envelopes - granted, amount - granted_amount, limit_per_user FROM rains
            WHERE rain = ? AND state <> 'preparing' FOR NO KEY UPDATE""");
    /** Each with the reason for its refusal, or null. */
    private static final Sql KNOWN = Sql.named("known-grabs", """
            SELECT k.id, k.reason FROM unnest(?::uuid[]) AS i
            JOIN LATERAL (SELECT g.id, NULL AS reason FROM grabs g WHERE g.month = ? AND g.id = i
                UNION ALL SELECT r.id, r.reason FROM rejected_grabs r
                WHERE r.month = ? AND r.id = i LIMIT 1) k ON true""");
    /** A client that sent no key repeats its grab under the grab's id. */
    private static final Sql TAKEN_IDS = Sql.named("taken-grab-ids", """
            SELECT g.user_id, g.id::text FROM unnest(?::uuid[]) AS k (id)
            JOIN LATERAL (SELECT * FROM grabs g WHERE g.month = ? AND g.id = k.id LIMIT 1) g
                ON g.rain = ? AND g.key IS NULL""");
    private static final String TAKEN = "its envelope, turn or key belongs to another grab";
    private static final String COLUMNS = "id, month, block, seq, granted_at_ms, number, nth,"
            + " amount, partition, rain, user_id, key";
    private static final String VALUES = "SELECT id, ?, block, seq, granted_at_ms, number, nth, "
            + "amount, ?, ?, user_id, key";
    private static final String ENTRIES = """
            FROM unnest(?::uuid[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],
                ?::bigint[], ?::bigint[], ?::text[], ?::text[]%s)
                AS entry (id, block, seq, granted_at_ms, number, nth, amount, user_id, key%s)""";
    private static final Sql INSERT = Sql.named("store-grabs", "INSERT INTO grabs (" + COLUMNS
            + ") " + VALUES + " " + ENTRIES.formatted("", "")
            + " ON CONFLICT DO NOTHING RETURNING id");
    private static final Sql REFUSE = Sql.named("insert-rejected-grabs",
            "WITH refused AS (INSERT INTO rejected_grabs (" + COLUMNS + ", reason) " + VALUES
            + ", reason " + ENTRIES.formatted(", ?::text[]", ", reason") + """
             RETURNING id, rain, reason)
            INSERT INTO audit (id, epoch, actor, action, subject, after, cause)
            SELECT id, ?, ?, 'grab.rejected', rain || '/' || id, '"rejected"'::jsonb, reason
            FROM refused ON CONFLICT (id) DO NOTHING""");
    private static final Sql COUNT = Sql.named("book-grabs", """
            UPDATE rains SET granted = granted + ?, granted_amount = granted_amount + ?,
                rejected = rejected + ?, rejected_amount = rejected_amount + ?
            WHERE rain = ?""");

    /** A user and the id of a grab without a key, which serves as its key. */
    private record UsedKey(String user, String key) {
    }

    /** What a rain may still grant; its row is locked for the rest of the transaction. */
    private record Left(String rain, int month, long envelopes, long amount, long limit) {
    }

    /** Stores grabs, except those that fail. */
    void store(Connection connection, Fence fence, List<Grab> grabs, Booking booking, Batch batch)
            throws SQLException {
        TreeMap<String, List<Grab>> byRain = new TreeMap<>();
        grabs.forEach(grab ->
                byRain.computeIfAbsent(grab.rain(), rain -> new ArrayList<>()).add(grab));
        for (Map.Entry<String, List<Grab>> of : byRain.entrySet()) {
            String rain = of.getKey();
            Left left = LOCK.first(connection, row -> new Left(rain, row.getInt(1),
                    row.getLong(2), row.getLong(3), row.getLong(4)), rain);
            if (left == null) {
                String failure = "the ledger has no rain " + rain;
                of.getValue().forEach(grab -> {
                    if (fence.behind()) {
                        batch.postpone(grab, failure);
                    } else {
                        batch.fail(grab, failure);
                    }
                });
            } else {
                storeOf(connection, fence, left, of.getValue(), booking, batch);
            }
        }
    }

    private static void storeOf(Connection connection, Fence fence, Left left, List<Grab> grabs,
            Booking booking, Batch batch) throws SQLException {
        Map<UUID, Grab> fresh = new LinkedHashMap<>();
        grabs.forEach(grab -> fresh.putIfAbsent(grab.grab(), grab));
        KNOWN.each(connection, row -> {
            Grab known = fresh.remove(id(row));
            if (row.getString(2) != null) {
                batch.refuse(refused(known, row.getString(2), true));
            }
        }, SqlArray.ids(fresh.keySet()), left.month, left.month);
        Map<Grab, String> refused = new LinkedHashMap<>();
        List<Grab> stored = new ArrayList<>();
        Set<UsedKey> used = usedIds(connection, left, fresh.values());
        long envelopes = left.envelopes;
        long amount = left.amount;
        for (Grab grab : fresh.values()) {
            if (grab.nth() > left.limit) {
                refused.put(grab, "the user's limit is reached");
            } else if (envelopes < 1 || amount < grab.amount()) {
                refused.put(grab, "every envelope is already granted");
            } else if (used.contains(new UsedKey(grab.user(), grab.keyOrId()))) {
                refused.put(grab, TAKEN);
            } else {
                stored.add(grab);
                envelopes--;
                amount -= grab.amount();
            }
        }
        Set<UUID> inserted = stored.isEmpty() ? Set.of() : Set.copyOf(
                INSERT.list(connection, GrabStore::id, values(fence, booking, left, stored, null)));
        stored.stream().filter(grab -> !inserted.contains(grab.grab())).forEach(grab ->
                refused.put(grab, TAKEN));
        stored.removeAll(refused.keySet());
        if (fence.behind()) {
            refused.forEach(batch::postpone);
            refused.clear();
        }
        refused.forEach((grab, reason) -> batch.refuse(refused(grab, reason, false)));
        List<Grab> kept = List.copyOf(refused.keySet());
        if (!kept.isEmpty()) {
            REFUSE.update(connection, values(fence, booking, left, kept, refused));
        }
        COUNT.update(connection, (long) stored.size(), amount(stored), (long) kept.size(),
                amount(kept), left.rain);
        stored.forEach(grab -> booking.addToBlock(left.month, left.rain, grab.seq()));
        kept.forEach(grab -> booking.addToBlock(left.month, left.rain, grab.seq()));
    }

    private static Set<UsedKey> usedIds(Connection connection, Left left,
            Collection<Grab> grabs) throws SQLException {
        List<UUID> ids = grabs.stream().filter(Grab::mayRepeatAnId)
                .map(grab -> UUID.fromString(grab.keyOrId())).toList();
        return ids.isEmpty() ? Set.of() : Set.copyOf(TAKEN_IDS.list(connection,
                row -> new UsedKey(row.getString(1), row.getString(2)), SqlArray.ids(ids),
                left.month, left.rain));
    }

    private static Batch.Refused refused(Grab grab, String reason, boolean isKnown) {
        return new Batch.Refused(true, grab.rain(), grab.user(), grab.grab(), reason, isKnown);
    }

    private static UUID id(ResultSet row) throws SQLException {
        return row.getObject(1, UUID.class);
    }

    private static long amount(List<Grab> grabs) {
        return grabs.stream().mapToLong(Grab::amount).sum();
    }

    private static Object[] values(Fence fence, Booking booking, Left left,
            List<Grab> grabs, @Nullable Map<Grab, String> reasons) {
        List<Object> values = new ArrayList<>(List.of(left.month, fence.partition(),
                left.rain, SqlArray.ids(grabs.stream().map(Grab::grab).toList()),
                SqlArray.longs(grabs, grab -> booking.block(grab.seq())),
                SqlArray.longs(grabs, Grab::seq), SqlArray.longs(grabs, Grab::at),
                SqlArray.longs(grabs, Grab::number), SqlArray.longs(grabs, Grab::nth),
                SqlArray.longs(grabs, Grab::amount), SqlArray.texts(grabs, Grab::user),
                SqlArray.texts(grabs, Grab::key)));
        if (reasons != null) {
            values.addAll(List.of(SqlArray.texts(grabs, reasons::get),
                    fence.ledgerState().epoch(), Refusals.GUARD));
        }
        return values.toArray();
    }
}
