package dev.rush.ledger;

import dev.rush.redis.OutcomeClass;
import java.sql.SQLException;

/**
 * Why work on the ledger did not succeed. An outage says nothing about the work: the same work may
 * succeed later. All else is a reason of the work's own. Nothing has happened, unless the
 * connection was lost while PostgreSQL was committing: then the outcome is unknown.
 */
public final class LedgerFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean outage;
    private final OutcomeClass outcomeClass;

    /**
     * The failure that an exception of the driver or the pool means.
     *
     * @param committing whether PostgreSQL had been asked to commit
     */
    LedgerFailure(SQLException cause, boolean committing) {
        super(reason(cause), cause);
        this.outage = isOutage(cause);
        this.outcomeClass = committing && !isRolledBack(cause)
                ? OutcomeClass.UNKNOWN : OutcomeClass.NOTHING_HAPPENED;
    }

    /** An outage that is known without asking PostgreSQL. */
    LedgerFailure(String reason) {
        super(reason, null, false, false);
        this.outage = true;
        this.outcomeClass = OutcomeClass.NOTHING_HAPPENED;
    }

    /** Nothing happened for certain, or the outcome is unknown. */
    public OutcomeClass outcomeClass() {
        return outcomeClass;
    }

    /** Whether the ledger as a whole, not the work, is the reason. */
    public boolean isOutage() {
        return outage;
    }

    /** Whether a row is there already. */
    public boolean isConflict() {
        return isState("23505");
    }

    /** Whether another transaction came first, so that the work has to begin again. */
    boolean isOvertaken() {
        return isState("40001");
    }

    private boolean isState(String state) {
        return getCause() instanceof SQLException cause && state.equals(cause.getSQLState());
    }

    /**
     * Data and constraints are reasons of a row's own (SQLSTATE classes 21, 22 and 23); connection,
     * lock, disk, serialization, shutdown and all that is not known are outages, because an order
     * that waits is the smaller harm.
     */
    static boolean isOutage(SQLException failure) {
        String state = failure.getSQLState();
        return state == null || !(state.startsWith("21") || state.startsWith("22")
                || state.startsWith("23"));
    }

    /**
     * Whether an answer to COMMIT says that the transaction was rolled back: a constraint, a
     * transaction that had failed before, or a conflict. 40003 is PostgreSQL not knowing itself.
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
