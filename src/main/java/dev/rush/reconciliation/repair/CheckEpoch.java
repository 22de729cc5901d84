package dev.rush.reconciliation.repair;

import dev.rush.ledger.LedgerState;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The epoch in which a PostgreSQL process is compared with Redis. No two processes share one, even
 * if the later one lost the check of the earlier: it is above all epochs that Redis knows. Thus
 * Redis refuses what the earlier process still reports.
 *
 * @param former the latest epoch that each partition knew before this process was compared with it
 */
record CheckEpoch(LedgerState ledgerState, int epoch, Map<Integer, Integer> former) {

    /**
     * Chooses it. A check that is repeated, because its transaction was not committed, takes the
     * same epoch again.
     *
     * @param known  the latest epoch that each partition knows
     * @param before of the last check by this pod
     */
    static CheckEpoch of(LedgerState ledgerState, Map<Integer, Integer> known,
            @Nullable CheckEpoch before) {
        Map<Integer, Integer> former = new HashMap<>(known);
        int highest = known.isEmpty() ? 0 : Collections.max(known.values());
        int epoch = ledgerState.checked() ? ledgerState.epoch()
                : Math.max(ledgerState.epoch(), highest + 1);
        if (before != null && before.ledgerState.equals(ledgerState)) {
            epoch = Math.max(before.epoch, highest > before.epoch ? epoch : 0);
            // What this pod has written there is no evidence.
            former.replaceAll((partition, latest) -> latest == before.epoch
                    ? before.former.getOrDefault(partition, latest) : latest);
        }
        return new CheckEpoch(ledgerState, epoch, former);
    }

    /** Whether Redis knew a later epoch of a partition than this process. */
    boolean isLater(int partition) {
        return former.getOrDefault(partition, 0) > ledgerState.epoch();
    }
}
