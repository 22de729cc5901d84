package dev.rush.reconciliation.report;

import dev.rush.ledger.Sums.Column;

/**
 * The arithmetic of the books, for one item in one shard, in units. The ledger is read later than
 * Redis, so what Redis accepted after it was read is subtracted.
 *
 * @param ledger          the sums, after Redis was read
 * @param after           of those, what Redis accepted after it was read
 * @param creditedBefore  what the ledger had recorded as credited before Redis was read
 * @param failed          orders that could not be stored, accepted before Redis was read
 * @param waiting         earlier orders in the stream, which the ledger does not have
 * @param ordered         Redis's counter: everything accepted minus what was credited
 * @param creditedInRedis Redis's counter of everything ever credited
 */
record BookFormula(Units ledger, Units after, long creditedBefore, long failed, long waiting,
        long ordered, long creditedInRedis) {

    /** What the ledger now has of the orders that Redis had accepted then. */
    Units then() {
        return ledger.less(after);
    }

    /**
     * What had ended and was not credited when Redis was read. Redis counts credits, so nothing is
     * missed between the two instants. But a credit that the ledger had recorded before is not
     * pending: if Redis does not have it, Redis lost it.
     */
    long owed() {
        long max = Math.max(0, ledger.ended() - creditedBefore);
        return Math.max(0, Math.min(max, then().ended() - creditedInRedis));
    }

    /** What Redis should have as ordered. */
    long accounted() {
        Units then = then();
        return then.of(Column.STORED) - then.ended() + then.of(Column.REJECTED)
                - ledger.of(Column.SETTLED) + failed + waiting + owed();
    }

    /**
     * Above zero: units are deducted that no order has; below zero: units are offered that an order
     * has.
     */
    long drift() {
        return ordered - accounted();
    }
}
