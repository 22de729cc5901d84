package dev.rush.ledger;

import dev.rush.ledger.sql.Sql;
import dev.rush.redis.cluster.RedisStartup;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Leader leases for work that only one pod does at a time. A lease that is not renewed is free for
 * any pod. A pod that refuses some partitions, and so can do only a part of the work, releases the
 * lease after each round, so that a pod that can do all of it may take over.
 */
@Singleton
public class LeaderLease {

    private static final Logger LOG = Logger.getLogger(LeaderLease.class);
    private static final Sql TAKE = Sql.named("take-lead", """
            INSERT INTO leader_leases (task, holder, until)
            VALUES (?, ?, now() + ? * interval '1 ms')
            ON CONFLICT (task) DO UPDATE SET holder = excluded.holder, until = excluded.until
            WHERE leader_leases.holder = excluded.holder OR leader_leases.until < now()""");
    private static final Sql RELEASE = Sql.named("drop-lead",
            "DELETE FROM leader_leases WHERE task = ? AND holder = ?");

    private final Ledger ledger;
    private final BooleanSupplier refusesAll;
    private final Supplier<Set<Integer>> refusedNow;
    private final String me = UUID.randomUUID().toString();

    @Inject
    LeaderLease(Ledger ledger, RedisStartup redis) {
        this(ledger, redis::refusesAll, redis::refused);
    }

    /**
     * The leases of one pod.
     *
     * @param refusesAll whether it currently supports no partition's layout
     * @param refusedNow partitions whose layout it currently does not support
     */
    public LeaderLease(Ledger ledger, BooleanSupplier refusesAll,
            Supplier<Set<Integer>> refusedNow) {
        this.ledger = ledger;
        this.refusesAll = refusesAll;
        this.refusedNow = refusedNow;
    }

    /** Partitions for which this pod cannot do the work, although another may. */
    public Set<Integer> refused() {
        return refusedNow.get();
    }

    /**
     * Takes or renews a lease for a duration. Returns whether this pod has it. A pod that supports
     * no partition's layout never takes one, because it could not do the work.
     */
    public boolean take(String name, long ms) {
        if (refusesAll.getAsBoolean()) {
            return false;
        }
        return ledger.transact((connection, ledgerState) ->
                TAKE.update(connection, name, me, ms) == 1);
    }

    /**
     * Releases a lease after a round if this pod could do only a part of the work. Returns whether
     * it did. Then this pod should not take it again for a whole round, so that others, which try
     * once per round, can take it.
     */
    public boolean releaseIfPartial(String name) {
        boolean isPartial = !refused().isEmpty();
        if (isPartial) {
            release(name);
        }
        return isPartial;
    }

    /**
     * Releases a lease at once. If the ledger is down, it lapses instead; an exception would hide
     * the round's result.
     */
    public void release(String name) {
        try {
            ledger.transact((connection, ledgerState) -> RELEASE.update(connection, name, me));
        } catch (LedgerFailure e) {
            LOG.debugf("The lease %s is left to lapse: %s", name, e.getMessage());
        }
    }
}
