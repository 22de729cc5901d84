package dev.rush.order;

import dev.rush.order.StreamEntry.Grab;
import dev.rush.order.sql.Sql;
import dev.rush.order.sql.SqlArray;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Storing grabs. An envelope is paid once, and nobody's n-th grab is there twice: unique indexes
 * refuse what a failover of Redis gave out again, and the refused grab stays, as rejected.
 */
@Singleton
class GrabRows {

    private static final Sql LOCK = Sql.named("lock-rain", """
            SELECT envelopes - granted, amount - granted_amount, limit_per_user FROM rains
            WHERE rain = ? AND state = 'loaded' FOR NO KEY UPDATE""");
    private static final Sql INSERT = Sql.named("insert-grabs", """
            INSERT INTO grabs (id, rain, user_id, key, number, nth, amount, status,
                granted_at_ms, partition, seq)
            SELECT id, rain, user_id, key, number, nth, amount,
                CASE WHEN ? THEN 'rejected' ELSE 'confirmed' END, granted_at_ms, ?, seq
            FROM unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::bigint[],
                ?::bigint[], ?::bigint[], ?::bigint[])
                AS entry (id, rain, user_id, key, number, nth, amount, granted_at_ms, seq)
            ON CONFLICT DO NOTHING RETURNING id""");
    private static final Sql COUNT = Sql.named("count-granted", """
            UPDATE rains SET granted = granted + ?, granted_amount = granted_amount + ?
            WHERE rain = ?""");

    private record Left(long envelopes, long amount, long limit) {
    }

    /** Stores grabs of one partition within the caller's transaction. */
    void store(Connection connection, int partition, List<Grab> grabs, Batch batch)
            throws SQLException {
        TreeMap<String, List<Grab>> byRain = new TreeMap<>();
        grabs.forEach(grab ->
                byRain.computeIfAbsent(grab.rain(), rain -> new ArrayList<>()).add(grab));
        for (Map.Entry<String, List<Grab>> entry : byRain.entrySet()) {
            // The lock is held from before the insert: one rain lies in one partition, so nobody
            // but an operator's change ever waits for it.
            Left left = lock(connection, entry.getKey());
            if (left == null) {
                entry.getValue().forEach(grab ->
                        batch.fail(grab, "the ledger has no rain " + grab.rain()));
            } else {
                storeOfOne(connection, partition, entry.getKey(), left, entry.getValue(), batch);
            }
        }
    }

    private static Left lock(Connection connection, String rain) throws SQLException {
        return LOCK.first(connection,
                row -> new Left(row.getLong(1), row.getLong(2), row.getLong(3)), rain);
    }

    private static void storeOfOne(Connection connection, int partition, String rain, Left left,
            List<Grab> grabs, Batch batch) throws SQLException {
        Map<UUID, Grab> wanted = new LinkedHashMap<>();
        grabs.forEach(grab -> {
            wanted.put(grab.grab(), grab);
            batch.settle(grab);
        });
        Map<UUID, String> refused = new HashMap<>();
        Set<UUID> there = present(connection, wanted.values());
        List<Grab> allowed = new ArrayList<>();
        long envelopes = left.envelopes;
        long amount = left.amount;
        for (Grab grab : wanted.values()) {
            if (there.contains(grab.grab())) {
                continue;
            }
            if (grab.nth() > left.limit) {
                refused.put(grab.grab(), "user's limit");
            } else if (envelopes < 1 || amount < grab.amount()) {
                refused.put(grab.grab(), "all is granted");
            } else {
                allowed.add(grab);
                envelopes--;
                amount -= grab.amount();
            }
        }
        Set<UUID> inserted = insert(connection, partition, allowed, false);
        allowed.stream().filter(grab -> !inserted.contains(grab.grab())).forEach(grab ->
                refused.put(grab.grab(), "its envelope, its turn or its key is another's"));
        count(connection, rain, allowed.stream()
                .filter(grab -> inserted.contains(grab.grab())).toList());
        insert(connection, partition, refused.keySet().stream().map(wanted::get).toList(), true);
        refused.forEach((grab, reason) ->
                batch.reject("grab " + grab + " of rain " + rain + ": " + reason));
    }

    private static Set<UUID> present(Connection connection, Collection<Grab> grabs)
            throws SQLException {
        return Set.copyOf(StoredIds.GRABS.list(connection, StoredIds::id,
                SqlArray.ids(grabs.stream().map(Grab::grab).toList())));
    }

    private static Set<UUID> insert(Connection connection, int partition, List<Grab> grabs,
            boolean rejected) throws SQLException {
        if (grabs.isEmpty()) {
            return Set.of();
        }
        return Set.copyOf(INSERT.list(connection, StoredIds::id, rejected, partition,
                SqlArray.texts(grabs, grab -> grab.grab().toString()),
                SqlArray.texts(grabs, Grab::rain), SqlArray.texts(grabs, Grab::user),
                SqlArray.texts(grabs, Grab::key), SqlArray.longs(grabs, Grab::number),
                SqlArray.longs(grabs, Grab::nth), SqlArray.longs(grabs, Grab::amount),
                SqlArray.longs(grabs, Grab::at), SqlArray.longs(grabs, Grab::seq)));
    }

    private static void count(Connection connection, String rain, List<Grab> granted)
            throws SQLException {
        COUNT.update(connection, (long) granted.size(),
                granted.stream().mapToLong(Grab::amount).sum(), rain);
    }
}
