package dev.rush.reconciliation.repair;

import dev.rush.ledger.LedgerState;
import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;

/**
 * The epoch in which a PostgreSQL process is compared with Redis. No two checks share one, even if
 * the later process lost the check of the earlier: it is above all epochs that Redis knows or that
 * this ledger has reserved. Thus Redis refuses what an earlier process still reports.
 *
 * @param former what each partition knew before this process was compared with it
 * @param own    the latest that this ledger had reserved before; a later one was lost
 */
record CheckEpoch(LedgerState ledgerState, int epoch, Map<Integer, Integer> former, int own) {

    /** Before Redis knows it, so that the ledger is never below what a check wrote there. */
    private static final Sql RESERVE = Sql.named("reserve-epoch", """
            UPDATE ledger l SET reserved = GREATEST(l.epoch + 1, l.reserved + 1, ?)
            FROM (SELECT reserved FROM ledger FOR UPDATE) AS before
            RETURNING l.reserved, before.reserved""");

    /**
     * Reserves it. A checked process keeps its epoch, unless a partition knows that or a later one.
     *
     * @param known the latest epoch that each partition knows
     */
    static CheckEpoch reserve(Connection connection, LedgerState ledgerState,
            Map<Integer, Integer> known) throws SQLException {
        int highest = known.isEmpty() ? 0 : Collections.max(known.values());
        int epoch = ledgerState.epoch();
        return ledgerState.checked() && highest < epoch
                ? new CheckEpoch(ledgerState, epoch, known, epoch)
                : RESERVE.one(connection, row -> new CheckEpoch(ledgerState, row.getInt(1), known,
                        Math.max(epoch, row.getInt(2))), highest + 1);
    }

    /** Whether Redis knew an epoch of a partition that this ledger lost. */
    boolean isLost(int partition) {
        return former.getOrDefault(partition, 0) > own;
    }
}
