package dev.rush.ledger;

import dev.rush.redis.OutcomeClass;
import java.sql.SQLException;

/**
 * Why work on the ledger failed. After an outage the same work may succeed later; any other failure
 * is caused by the work itself. Nothing has happened, unless the connection was lost while
 * PostgreSQL was committing: then the outcome is unknown.
 */
public final class LedgerFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean outage;
    private final OutcomeClass outcomeClass;

    /**
     * The failure for an exception of the driver or the pool.
     *
     * @param committing whether COMMIT had been sent
     */
    LedgerFailure(SQLException cause, boolean committing) {
        super(reason(cause), cause);
        this.outage = isOutage(cause);
        this.outcomeClass = committing && !isRolledBack(cause)
                ? OutcomeClass.UNKNOWN : OutcomeClass.NOTHING_HAPPENED;
    }

    /** An outage that is known without a call to PostgreSQL. */
    LedgerFailure(String reason) {
        super(reason, null, false, false);
        this.outage = true;
        this.outcomeClass = OutcomeClass.NOTHING_HAPPENED;
    }

    /** This PostgreSQL process has not been compared with the part of Redis that the work needs. */
    public static LedgerFailure unchecked() {
        return new LedgerFailure("the ledger has not been compared with Redis yet");
    }

    /** Redis has been compared with a later epoch of the ledger than that of the work. */
    public static LedgerFailure epochIsOver(int epoch) {
        return new LedgerFailure("epoch " + epoch + " of the ledger is over");
    }

    /** Nothing happened, or the outcome is unknown. */
    public OutcomeClass outcomeClass() {
        return outcomeClass;
    }

    /** Whether the ledger as a whole, not the work, is the reason. */
    public boolean isOutage() {
        return outage;
    }

    /** Whether a row exists already. */
    public boolean isConflict() {
        return isState("23505");
    }

    /** Whether another transaction came first, so that the work must start again. */
    boolean isSerializationFailure() {
        return isState("40001");
    }

    private boolean isState(String state) {
        return getCause() instanceof SQLException cause && state.equals(cause.getSQLState());
    }

    /**
     * Bad data and violated constraints (SQLSTATE classes 21, 22 and 23) are the row's own fault.
     * Connection, lock, disk, serialization, shutdown and all unknown states are outages, because a
     * delayed order does less harm than a dead letter.
     */
    static boolean isOutage(SQLException failure) {
        String state = failure.getSQLState();
        return state == null || !(state.startsWith("21") || state.startsWith("22")
                || state.startsWith("23"));
    }

    /**
     * Whether an answer to COMMIT says that the transaction was rolled back: a constraint, a
     * transaction that had failed before, or a conflict. After 40003 PostgreSQL itself
     * does not know.
     */
    private static boolean isRolledBack(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return state.startsWith("23") || state.startsWith("25")
                || state.startsWith("40") && !state.equals("40003");
    }

    static String reason(SQLException cause) {
        // The driver's message may carry users' data in its detail line; the first line does not.
        String message = String.valueOf(cause.getMessage());
        int end = message.indexOf('\n');
        return cause.getSQLState() + " " + (end < 0 ? message : message.substring(0, end));
    }
}
