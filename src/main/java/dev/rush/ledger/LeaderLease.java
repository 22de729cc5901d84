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
 * What only one pod does at a time. A duty that is not renewed is anybody's. A pod that cannot do
 * all of it, since it refuses some partitions, leaves it after each round to pods that can.
 */
@Singleton
public class LeaderLease {

    private static final Logger LOG = Logger.getLogger(LeaderLease.class);
    private static final Sql TAKE = Sql.named("take-lead", """
            INSERT INTO duties (duty, holder, until)
            VALUES (?, ?, now() + ? * interval '1 ms')
            ON CONFLICT (duty) DO UPDATE SET holder = excluded.holder, until = excluded.until
            WHERE duties.holder = excluded.holder OR duties.until < now()""");
    private static final Sql DROP = Sql.named("drop-lead",
            "DELETE FROM duties WHERE duty = ? AND holder = ?");

    private final Ledger ledger;
    private final BooleanSupplier refusesAll;
    private final Supplier<Set<Integer>> refusedNow;
    private final String me = UUID.randomUUID().toString();

    @Inject
    LeaderLease(Ledger ledger, RedisStartup redis) {
        this(ledger, redis::refusesAll, redis::refused);
    }

    /**
     * The duties of one pod.
     *
     * @param refusesAll whether it knows the layout of no data now
     * @param refusedNow partitions whose layout it does not know now
     */
    public LeaderLease(Ledger ledger, BooleanSupplier refusesAll,
            Supplier<Set<Integer>> refusedNow) {
        this.ledger = ledger;
        this.refusesAll = refusesAll;
        this.refusedNow = refusedNow;
    }

    /** Partitions that this pod cannot do its duties for; another may. */
    public Set<Integer> refused() {
        return refusedNow.get();
    }

    /**
     * Takes a duty, or renews it, for so long. Returns whether this pod has it. A pod that knows
     * the layout of no data takes none, since it could not do it.
     */
    public boolean take(String duty, long ms) {
        if (refusesAll.getAsBoolean()) {
            return false;
        }
        return ledger.transact((connection, standing) ->
                TAKE.update(connection, duty, me, ms) == 1);
    }

    /**
     * Gives a duty back after a round if this pod could do it in part only. It should not take it
     * again before others, who try once in each of their rounds, had a whole round's time.
     */
    public boolean leave(String duty) {
        boolean leaves = !refused().isEmpty();
        if (leaves) {
            drop(duty);
        }
        return leaves;
    }

    /**
     * Gives a duty back at once. While the ledger is away it is left to lapse: how the round ended
     * must not be hidden behind that.
     */
    public void drop(String duty) {
        try {
            ledger.transact((connection, standing) -> DROP.update(connection, duty, me));
        } catch (LedgerFailure e) {
            LOG.debugf("The duty %s is left to lapse: %s", duty, e.getMessage());
        }
    }
}
