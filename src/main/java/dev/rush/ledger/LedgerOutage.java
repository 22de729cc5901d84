package dev.rush.ledger;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Logs that the ledger cannot be used, and why: at once, then every ten seconds during the outage,
 * however many calls fail.
 */
final class LedgerOutage {

    private static final Logger LOG = Logger.getLogger(LedgerOutage.class);
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** False until the ledger was used once. */
    private boolean known;
    private volatile boolean away;
    private long toldNanos;

    /** The ledger could not be used. */
    synchronized void missed(Throwable failure) {
        long now = System.nanoTime();
        if (!away || now - toldNanos > AGAIN_NANOS) {
            toldNanos = now;
            LOG.warnf("The ledger is %s: %s", known ? "away" : "not there yet", cause(failure));
        }
        away = true;
    }

    /** The ledger was used. */
    void reached() {
        if (away || !known) {
            back();
        }
    }

    private synchronized void back() {
        if (away || !known) {
            LOG.info(known ? "The ledger is back" : "The ledger is there");
        }
        known = true;
        away = false;
    }

    /**
     * The message of PostgreSQL or its driver, which names a refused certificate, host or password
     * better than the wrapping exception. Only the first line, because others may contain users'
     * data.
     */
    private static @Nullable String cause(Throwable failure) {
        if (failure instanceof LedgerFailure) {
            return failure.getMessage();
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                return LedgerFailure.reason(sql);
            }
        }
        return failure.getClass().getSimpleName() + ", "
                + String.valueOf(failure.getMessage()).strip().lines().findFirst().orElse("");
    }
}
