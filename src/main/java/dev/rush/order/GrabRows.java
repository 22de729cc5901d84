package dev.rush.order;

import dev.rush.order.StreamEntry.Grab;
import jakarta.inject.Singleton;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;

/**
 * Storing grabs. An envelope is paid once, and nobody's n-th grab is there twice: unique indexes
 * refuse what a failover of Redis gave out again, and the refused grab stays, as rejected.
 */
@Singleton
class GrabRows {

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
        try (PreparedStatement select = connection.prepareStatement("""
                SELECT envelopes - granted, amount - granted_amount, limit_per_user FROM rains
                WHERE rain = ? AND state = 'loaded' FOR NO KEY UPDATE""")) {
            select.setString(1, rain);
            try (ResultSet row = select.executeQuery()) {
                return row.next()
                        ? new Left(row.getLong(1), row.getLong(2), row.getLong(3)) : null;
            }
        }
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

    private static Set<UUID> present(Connection connection, Iterable<Grab> grabs)
            throws SQLException {
        List<String> ids = new ArrayList<>();
        grabs.forEach(grab -> ids.add(grab.grab().toString()));
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT id FROM grabs WHERE id = ANY (?::uuid[])")) {
            select.setArray(1, connection.createArrayOf("text", ids.toArray()));
            return ids(select);
        }
    }

    private static Set<UUID> insert(Connection connection, int partition, List<Grab> grabs,
            boolean rejected) throws SQLException {
        if (grabs.isEmpty()) {
            return Set.of();
        }
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO grabs (id, rain, user_id, key, number, nth, amount, status,
                    granted_at_ms, partition, seq)
                SELECT id, rain, user_id, key, number, nth, amount,
                    CASE WHEN ? THEN 'rejected' ELSE 'confirmed' END, granted_at_ms, ?, seq
                FROM unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::bigint[],
                    ?::bigint[], ?::bigint[], ?::bigint[])
                    AS entry (id, rain, user_id, key, number, nth, amount, granted_at_ms, seq)
                ON CONFLICT DO NOTHING RETURNING id""")) {
            insert.setBoolean(1, rejected);
            insert.setInt(2, partition);
            insert.setArray(3, array(connection, "text", grabs, g -> g.grab().toString()));
            insert.setArray(4, array(connection, "text", grabs, Grab::rain));
            insert.setArray(5, array(connection, "text", grabs, Grab::user));
            insert.setArray(6, array(connection, "text", grabs, Grab::key));
            insert.setArray(7, array(connection, "int8", grabs, Grab::number));
            insert.setArray(8, array(connection, "int8", grabs, Grab::nth));
            insert.setArray(9, array(connection, "int8", grabs, Grab::amount));
            insert.setArray(10, array(connection, "int8", grabs, Grab::at));
            insert.setArray(11, array(connection, "int8", grabs, Grab::seq));
            return ids(insert);
        }
    }

    private static Array array(Connection connection, String type, List<Grab> grabs,
            Function<Grab, Object> field) throws SQLException {
        return connection.createArrayOf(type, grabs.stream().map(field).toArray());
    }

    private static Set<UUID> ids(PreparedStatement statement) throws SQLException {
        Set<UUID> ids = new HashSet<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                ids.add(rows.getObject(1, UUID.class));
            }
        }
        return ids;
    }

    private static void count(Connection connection, String rain, List<Grab> granted)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                UPDATE rains SET granted = granted + ?, granted_amount = granted_amount + ?
                WHERE rain = ?""")) {
            update.setLong(1, granted.size());
            update.setLong(2, granted.stream().mapToLong(Grab::amount).sum());
            update.setString(3, rain);
            update.executeUpdate();
        }
    }
}
