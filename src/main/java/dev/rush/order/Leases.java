package dev.rush.order;

import dev.rush.RushConfig;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisStartup;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Which partitions this writer reads. The living writers share them evenly; a lease that was not
 * renewed is anybody's. Each change of hands raises the partition's token, and a batch is committed
 * only under the present token, so a writer that lost a partition without noticing cannot write.
 * A writer leaves partitions whose layout it does not know to others, and what nobody has taken for
 * the time of a lease is taken beyond the share. Time is PostgreSQL's.
 */
@Singleton
class Leases {

    private final Ledger ledger;
    private final int partitions;
    private final long leaseMs;
    private final String me;
    private final Supplier<Set<Integer>> refusedNow;
    /** What it took beyond its share, since nobody else did. Used by one thread at a time. */
    private final Set<Integer> leftovers = new HashSet<>();
    private int lastShare;
    private boolean created;

    @Inject
    Leases(Ledger ledger, Partitions partitions, RedisStartup redis, RushConfig config) {
        this(ledger, partitions, redis::refused, config);
    }

    /**
     * The leases of one writer.
     *
     * @param refusedNow partitions that it cannot read now
     */
    Leases(Ledger ledger, Partitions partitions, Supplier<Set<Integer>> refusedNow,
            RushConfig config) {
        this.ledger = ledger;
        this.partitions = partitions.count();
        this.refusedNow = refusedNow;
        this.leaseMs = config.writer().lease().toMillis();
        this.me = host() + " " + UUID.randomUUID().toString().substring(0, 8);
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }

    /** Time between two renewals. */
    long renewMs() {
        return leaseMs / 4;
    }

    /**
     * Renews what this writer holds, gives up what it cannot read or is above its share, and takes
     * what is free. A writer that can read nothing has no share. What it took since nobody else did
     * counts towards its share only once that has changed.
     *
     * @return partition → token of all that it holds now
     * @throws LedgerFailure when that is not known; what was held is held on to, as nobody else can
     *         take it either
     */
    Map<Integer, Long> renew() {
        Set<Integer> refused = refusedNow.get();
        if (refused.size() == partitions) {
            release();
            return Map.of();
        }
        return ledger.transact(connection -> {
            if (!created) {
                createRows(connection);
            }
            int writers = register(connection);
            Map<Integer, Long> held = extend(connection);
            giveUp(connection, held,
                    held.keySet().stream().filter(refused::contains).toList());
            share(connection, held, (partitions + writers - 1) / writers, refused);
            created = true;
            return held;
        });
    }

    private void share(Connection connection, Map<Integer, Long> held, int share,
            Set<Integer> refused) throws SQLException {
        if (share != lastShare) {
            leftovers.clear();
            lastShare = share;
        }
        leftovers.retainAll(held.keySet());
        List<Integer> shared = held.keySet().stream()
                .filter(partition -> !leftovers.contains(partition)).toList();
        if (shared.size() > share) {
            giveUp(connection, held, shared.subList(share, shared.size()));
        } else if (shared.size() < share) {
            held.putAll(take(connection, share - shared.size(), 0, refused));
        }
        Map<Integer, Long> left = take(connection, partitions, leaseMs, refused);
        leftovers.addAll(left.keySet());
        held.putAll(left);
    }

    private void createRows(Connection connection) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO leases (partition, until) SELECT generate_series(0, ? - 1), now()
                ON CONFLICT DO NOTHING""")) {
            insert.setInt(1, partitions);
            insert.executeUpdate();
        }
    }

    private int register(Connection connection) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("""
                INSERT INTO writers (holder, until) VALUES (?, now() + ? * interval '1 ms')
                ON CONFLICT (holder) DO UPDATE SET until = excluded.until""");
                PreparedStatement count = connection.prepareStatement("""
                SELECT count(*) FROM writers WHERE until > now()""");
                PreparedStatement delete = connection.prepareStatement("""
                DELETE FROM writers WHERE holder IN (SELECT holder FROM writers
                WHERE until < now() - interval '1 minute' FOR UPDATE SKIP LOCKED)""")) {
            insert.setString(1, me);
            insert.setLong(2, leaseMs);
            insert.executeUpdate();
            delete.executeUpdate();
            try (ResultSet row = count.executeQuery()) {
                row.next();
                return Math.max(1, row.getInt(1));
            }
        }
    }

    private Map<Integer, Long> extend(Connection connection) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                UPDATE leases SET until = now() + ? * interval '1 ms' WHERE holder = ?
                RETURNING partition, token""")) {
            update.setLong(1, leaseMs);
            update.setString(2, me);
            return tokens(update);
        }
    }

    /** Takes partitions that have been free for so long. */
    private Map<Integer, Long> take(Connection connection, int most, long freeMs,
            Set<Integer> refused) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                UPDATE leases SET holder = ?, token = token + 1,
                    until = now() + ? * interval '1 ms'
                WHERE partition IN (SELECT partition FROM leases
                    WHERE until <= now() - ? * interval '1 ms'
                        AND partition < ? AND partition <> ALL (?)
                    ORDER BY random() LIMIT ? FOR UPDATE SKIP LOCKED)
                RETURNING partition, token""")) {
            update.setString(1, me);
            update.setLong(2, leaseMs);
            update.setLong(3, freeMs);
            update.setInt(4, partitions);
            update.setArray(5, connection.createArrayOf("int4", refused.toArray()));
            update.setInt(6, most);
            return tokens(update);
        }
    }

    private void giveUp(Connection connection, Map<Integer, Long> held,
            Collection<Integer> given) throws SQLException {
        if (given.isEmpty()) {
            return;
        }
        try (PreparedStatement update = connection.prepareStatement("""
                UPDATE leases SET until = now(), holder = '', token = token + 1
                WHERE holder = ? AND partition = ANY (?)""")) {
            update.setString(1, me);
            update.setArray(2, connection.createArrayOf("int4", given.toArray()));
            update.executeUpdate();
        }
        held.keySet().removeAll(given);
    }

    /** Gives everything up, so that others need not wait for it to lapse. */
    void release() {
        ledger.transact(connection -> {
            try (PreparedStatement update = connection.prepareStatement("""
                    UPDATE leases SET until = now(), holder = '' WHERE holder = ?""");
                    PreparedStatement delete = connection.prepareStatement("""
                    DELETE FROM writers WHERE holder = ?""")) {
                update.setString(1, me);
                update.executeUpdate();
                delete.setString(1, me);
                delete.executeUpdate();
            }
            return null;
        });
    }

    /**
     * Holds on to a partition for the rest of a transaction and notes the highest number stored.
     *
     * @return false if it is another's by now, so that nothing may be committed
     */
    static boolean fence(Connection connection, int partition, long token, long seq)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("""
                UPDATE leases SET seq = GREATEST(seq, ?) WHERE partition = ? AND token = ?""")) {
            update.setLong(1, seq);
            update.setInt(2, partition);
            update.setLong(3, token);
            return update.executeUpdate() == 1;
        }
    }

    private static Map<Integer, Long> tokens(PreparedStatement statement) throws SQLException {
        Map<Integer, Long> tokens = new HashMap<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                tokens.put(rows.getInt(1), rows.getLong(2));
            }
        }
        return tokens;
    }
}
