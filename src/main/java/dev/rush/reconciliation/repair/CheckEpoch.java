package dev.rush.reconciliation.repair;

import dev.rush.ledger.LedgerState;
import dev.rush.ledger.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;

/**
 * The epoch in which a PostgreSQL process is compared with Redis. It is above every epoch that an
 * answering partition knows or that this ledger has reserved, so no two processes share one, even
 * if the later one lost the check of the earlier. Redis then refuses steps that the earlier one
 * still reports.
 *
 * @param known          the latest epoch that each partition knew before the check
 * @param reservedBefore the latest epoch that this ledger had reserved before; it lost later ones
 */
record CheckEpoch(LedgerState ledgerState, int epoch, Map<Integer, Integer> known,
        int reservedBefore) {

    /** Committed before Redis is written, so that no check in Redis is ahead of this ledger. */
    private static final Sql RESERVE = Sql.named("reserve-epoch", """
            UPDATE ledger l SET reserved = GREATEST(l.epoch + 1, l.reserved + 1, ?)
            FROM (SELECT reserved FROM ledger FOR UPDATE) AS before
            RETURNING l.reserved, before.reserved""");

    /**
     * Reserves the epoch of a check. A checked process keeps its own, unless a partition already
     * knows this epoch or a later one.
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
                        Math.max(ledgerState.checkedEpoch(), row.getInt(2))), highest + 1);
    }

    /** Whether a partition knew an epoch that this ledger has lost. */
    boolean isLost(int partition) {
        return known.getOrDefault(partition, 0) > reservedBefore;
    }
}
