package dev.rush.ledger;

/**
 * The state of the ledger at the beginning of a transaction.
 *
 * @param epoch   of the rows that it adds to the journal
 * @param checked whether this PostgreSQL process was compared with Redis; one that was not may lack
 *                commits that were reported to clients
 * @param server  when this PostgreSQL process began, in microseconds
 */
public record LedgerState(int epoch, boolean checked, long server) {

    /**
     * The epoch in which this process was compared with Redis. Until that is done it is the one
     * before its own, so that Redis refuses what a lost process still reports.
     */
    public int checkedEpoch() {
        return checked ? epoch : epoch - 1;
    }
}
