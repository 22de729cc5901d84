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
     * The latest epoch in which PostgreSQL was compared with Redis: this process's own, or the one
     * before it until its comparison is done. Redis refuses steps that are reported in an epoch
     * older than the one that it last saw.
     */
    public int checkedEpoch() {
        return checked ? epoch : epoch - 1;
    }

    /**
     * Requires that this process was compared with Redis in an epoch.
     *
     * @throws LedgerFailure an outage, if it was not, or in another one
     */
    public void requireChecked(int inEpoch) {
        if (!checked || epoch != inEpoch) {
            throw LedgerFailure.epochIsOver(inEpoch);
        }
    }
}
