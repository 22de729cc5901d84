package dev.rush.reconciliation.report;

import dev.rush.ledger.Sums.Column;

/**
 * The arithmetic of the books, for one item in one shard, in units. The ledger is read later than
 * Redis, so what Redis accepted after it was read is taken out again.
 *
 * @param ledger          the sums, after Redis was read
 * @param after           of those, what Redis accepted after it was read
 * @param creditedBefore  what the ledger had noted as given back before Redis was read
 * @param failed          orders that could not be stored, accepted before Redis was read
 * @param waiting         orders of before that in the stream, which the ledger does not have
 * @param ordered         Redis's counter: all that it accepted less what was given back
 * @param creditedInRedis Redis's counter of what was ever given back
 */
record BookFormula(Units ledger, Units after, long creditedBefore, long failed, long waiting,
        long ordered, long creditedInRedis) {

    /** What the ledger has now of what Redis had accepted then. */
    Units then() {
        return ledger.less(after);
    }

    /**
     * What ended and was not given back when Redis was read. Redis counts what it gave back, so
     * nothing slips through between the two instants. But a credit that the ledger had noted
     * before is none that is under way: if Redis does not have it, Redis lost it.
     */
    long owed() {
        long most = Math.max(0, ledger.ended() - creditedBefore);
        return Math.max(0, Math.min(most, then().ended() - creditedInRedis));
    }

    /** What Redis should have as ordered. */
    long accounted() {
        Units then = then();
        return then.of(Column.STORED) - then.ended() + then.of(Column.REJECTED)
                - ledger.of(Column.SETTLED) + failed + waiting + owed();
    }

    /** Above zero: units are deducted that nobody has; below: units are offered that are taken. */
    long drift() {
        return ordered - accounted();
    }
}
