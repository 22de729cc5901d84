package dev.rush.ledger;

import dev.rush.RushConfig;
import dev.rush.ledger.sql.Sql;
import dev.rush.ledger.sql.SqlArray;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisStartup;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The leases of the partitions that this writer reads. The live writers share partitions evenly; a
 * lease that was not renewed is free. Taking a partition raises its fencing token, and a batch
 * commits only with the current token, so a writer that lost a partition without noticing cannot
 * write. A writer leaves partitions with an unsupported layout to others; a partition that stays
 * free for the duration of a lease is taken beyond the share. Time is PostgreSQL's.
 *
 * <p>Renewing never waits for a batch, because a batch locks the partition's row, not the lease. A
 * partition whose batch is being committed changes hands in a later round.
 */
@Singleton
public class PartitionLeases {

    /** Only missing rows, because a conflict would wait for the batch that holds the row. */
    private static final Sql CREATE = Sql.named("create-partitions", """
            WITH numbers AS (SELECT generate_series(0, ? - 1) AS partition),
            rows AS (INSERT INTO partitions (partition) SELECT n.partition FROM numbers n
                WHERE NOT EXISTS (SELECT FROM partitions p WHERE p.partition = n.partition)
                ON CONFLICT DO NOTHING)
            INSERT INTO leases (partition, until) SELECT n.partition, now() FROM numbers n
            WHERE NOT EXISTS (SELECT FROM leases l WHERE l.partition = n.partition)
            ON CONFLICT DO NOTHING""");
    private static final Sql REGISTER = Sql.named("enter-writer", """
            INSERT INTO writers (holder, until) VALUES (?, now() + ? * interval '1 ms')
            ON CONFLICT (holder) DO UPDATE SET until = excluded.until""");
    private static final Sql FORGET = Sql.named("forget-writers", """
            DELETE FROM writers WHERE holder IN (SELECT holder FROM writers
            WHERE until < now() - interval '1 minute' FOR UPDATE SKIP LOCKED)""");
    private static final Sql COUNT = Sql.named("living-writers",
            "SELECT count(*) FROM writers WHERE until > now()");
    private static final Sql EXTEND = Sql.named("renew-leases", """
            UPDATE leases l SET until = now() + ? * interval '1 ms' FROM partitions p
            WHERE l.holder = ? AND p.partition = l.partition
            RETURNING l.partition, p.token""");
    private static final Sql TAKE = Sql.named("take-partitions", """
            WITH free AS MATERIALIZED (
                SELECT l.partition FROM leases l JOIN partitions p USING (partition)
                WHERE l.until <= now() - ? * interval '1 ms'
                    AND l.partition < ? AND l.partition <> ALL (?)
                ORDER BY random() LIMIT ? FOR UPDATE SKIP LOCKED),
            taken AS (
                UPDATE leases l SET holder = ?, until = now() + ? * interval '1 ms' FROM free
                WHERE l.partition = free.partition)
            UPDATE partitions p SET token = p.token + 1 FROM free
            WHERE p.partition = free.partition RETURNING p.partition, p.token""");
    /** This writer may store until another takes them, so the token stays. */
    private static final Sql GIVE_UP = Sql.named("give-up-partitions", """
            UPDATE leases SET until = now(), holder = ''
            WHERE holder = ? AND partition = ANY (?)""");
    private static final Sql RELEASE = Sql.named("release-partitions",
            "UPDATE leases SET until = now(), holder = '' WHERE holder = ?");
    private static final Sql LEAVE = Sql.named("remove-writer",
            "DELETE FROM writers WHERE holder = ?");

    private static final long RELEASE_MS = 5_000;

    private final Ledger ledger;
    private final int partitions;
    private final long leaseMs;
    private final String me;
    private final Supplier<Set<Integer>> refusedNow;
    /**
     * Partitions taken beyond the share because no other writer did. Used by one thread at a time.
     */
    private final Set<Integer> leftovers = new HashSet<>();
    private int lastShare;
    private boolean created;
    private final ReentrantLock renewing = new ReentrantLock();
    private volatile boolean released;

    @Inject
    PartitionLeases(Ledger ledger, Partitions partitions, RedisStartup redis, RushConfig config) {
        this(ledger, partitions, redis::refused, config);
    }

    /**
     * The leases of one writer.
     *
     * @param refusedNow partitions that it currently cannot read
     */
    PartitionLeases(Ledger ledger, Partitions partitions, Supplier<Set<Integer>> refusedNow,
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
    public long renewMs() {
        return leaseMs / 4;
    }

    /**
     * Renews the leases of this writer, releases partitions that it cannot read or that exceed its
     * share, and takes free ones. A writer that can read no partition has no share. Partitions
     * taken beyond the share count towards it only once it has changed. After {@link #release},
     * nothing is taken.
     *
     * @return partition → token, for all leases that it holds
     * @throws LedgerFailure if that is unknown; the leases are kept, because no other writer can
     *                       take them either
     */
    public Map<Integer, Long> renew() {
        renewing.lock();
        try {
            return released ? Map.of() : renewed();
        } finally {
            renewing.unlock();
        }
    }

    private Map<Integer, Long> renewed() {
        Set<Integer> refused = refusedNow.get();
        if (refused.size() == partitions) {
            giveUpAll();
            return Map.of();
        }
        Map<Integer, Long> held = ledger.transact((connection, ledgerState) -> {
            if (!created) {
                CREATE.update(connection, partitions);
            }
            int writers = register(connection);
            Map<Integer, Long> kept = extend(connection);
            giveUp(connection, kept,
                    kept.keySet().stream().filter(refused::contains).toList());
            share(connection, kept, (partitions + writers - 1) / writers, refused);
            return kept;
        });
        // Set after the commit. A writer without leases creates missing rows again, because a
        // failover may have lost them.
        created = !held.isEmpty();
        return held;
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

    private int register(Connection connection) throws SQLException {
        REGISTER.update(connection, me, leaseMs);
        FORGET.update(connection);
        return Math.max(1, COUNT.one(connection, row -> row.getInt(1)));
    }

    private Map<Integer, Long> extend(Connection connection) throws SQLException {
        return tokens(connection, EXTEND, leaseMs, me);
    }

    /** Takes partitions that have been free for a duration. */
    private Map<Integer, Long> take(Connection connection, int max, long freeMs,
            Set<Integer> refused) throws SQLException {
        return tokens(connection, TAKE, freeMs, partitions, SqlArray.integers(refused), max, me,
                leaseMs);
    }

    private void giveUp(Connection connection, Map<Integer, Long> held,
            Collection<Integer> surplus) throws SQLException {
        if (surplus.isEmpty()) {
            return;
        }
        GIVE_UP.update(connection, me, SqlArray.integers(surplus));
        held.keySet().removeAll(surplus);
    }

    /**
     * Releases all leases for good, so that others need not wait until they lapse. A running
     * renewal would take them again, so this waits for it; after five seconds they lapse instead.
     */
    public void release() {
        released = true;
        try {
            if (renewing.tryLock(RELEASE_MS, TimeUnit.MILLISECONDS)) {
                try {
                    giveUpAll();
                } finally {
                    renewing.unlock();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void giveUpAll() {
        ledger.transactOrNull((connection, ledgerState) -> {
            RELEASE.update(connection, me);
            LEAVE.update(connection, me);
            return null;
        });
    }

    private static Map<Integer, Long> tokens(Connection connection, Sql sql,
            Object... parameters) throws SQLException {
        Map<Integer, Long> tokens = new HashMap<>();
        sql.each(connection, row -> tokens.put(row.getInt(1), row.getLong(2)), parameters);
        return tokens;
    }
}
