package dev.rush.reconciliation.report;

import dev.rush.ledger.Sums.Column;

/**
 * The arithmetic of the books, for one item in one shard, in units. The ledger is read later than
 * Redis, so what Redis accepted after it was read is subtracted.
 *
 * @param ledger          the sums, after Redis was read
 * @param after           the part of the sums that Redis accepted after it was read
 * @param creditedBefore  units that the ledger had recorded as credited before Redis was read
 * @param failed          units of orders that Redis had accepted and that could not be stored
 * @param waiting         units of orders in the stream that the ledger does not have
 * @param ordered         Redis's counter: everything accepted minus what was credited
 * @param creditedInRedis Redis's counter of everything ever credited
 */
record BookFormula(Units ledger, Units after, long creditedBefore, long failed, long waiting,
        long ordered, long creditedInRedis) {

    /** The current sums of the orders that Redis had accepted when it was read. */
    Units untilRead() {
        return ledger.minus(after);
    }

    /**
     * The units of ended orders that Redis had not credited when it was read. Redis counts credits,
     * so none is missed between the two instants. But a credit that the ledger had recorded before
     * is not pending: if Redis does not have it, Redis lost it.
     */
    long owed() {
        long max = Math.max(0, ledger.ended() - creditedBefore);
        return Math.max(0, Math.min(max, untilRead().ended() - creditedInRedis));
    }

    /** The value that Redis's counter should have. */
    long accounted() {
        Units sums = untilRead();
        return sums.of(Column.STORED) - sums.ended() + sums.of(Column.REJECTED)
                - ledger.of(Column.SETTLED) + failed + waiting + owed();
    }

    /**
     * If positive, units are deducted that no order has; if negative, units are offered that an
     * order has.
     */
    long drift() {
        return ordered - accounted();
    }
}
