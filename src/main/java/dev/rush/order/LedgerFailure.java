package dev.rush.order;

import java.sql.SQLException;

/**
 * Why work on the ledger did not succeed. An outage says nothing about the work: the same work may
 * succeed later. All else is a reason of the work's own.
 */
public final class LedgerFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean outage;

    /** The failure that an exception of the driver or the pool means. */
    LedgerFailure(SQLException cause) {
        super(reason(cause), cause);
        this.outage = isOutage(cause);
    }

    /** An outage that is known without asking PostgreSQL. */
    LedgerFailure(String reason) {
        super(reason, null, false, false);
        this.outage = true;
    }

    /** Whether the ledger as a whole, not the work, is the reason. */
    public boolean isOutage() {
        return outage;
    }

    /** Whether a row is there already. */
    boolean isConflict() {
        return getCause() instanceof SQLException cause && "23505".equals(cause.getSQLState());
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

    private static String reason(SQLException cause) {
        // The driver's message may carry users' data in its detail line; the first line does not.
        String message = String.valueOf(cause.getMessage());
        int end = message.indexOf('\n');
        return cause.getSQLState() + " " + (end < 0 ? message : message.substring(0, end));
    }
}
