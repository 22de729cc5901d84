package dev.rush.ledger;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Logs that the ledger is unavailable, and why: at once, then every ten seconds during the outage,
 * however many calls fail.
 */
final class LedgerOutage {

    private static final Logger LOG = Logger.getLogger(LedgerOutage.class);
    private static final long LOG_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private boolean wasAvailable;
    private volatile boolean down;
    private long loggedNanos;

    /** Work failed because of the ledger. */
    synchronized void failed(Throwable failure) {
        long now = System.nanoTime();
        if (!down || now - loggedNanos > LOG_EVERY_NANOS) {
            loggedNanos = now;
            LOG.warnf("The ledger is %s: %s",
                    wasAvailable ? "unavailable" : "not available yet", cause(failure));
        }
        down = true;
    }

    /** Work succeeded. */
    void succeeded() {
        if (down || !wasAvailable) {
            available();
        }
    }

    private synchronized void available() {
        if (down || !wasAvailable) {
            LOG.info(wasAvailable ? "The ledger is available again" : "The ledger is available");
        }
        wasAvailable = true;
        down = false;
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
