package dev.rush.ledger;

import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.redis.OutcomeClass;
import dev.rush.redis.RedisFailure;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Problems for failed work on the ledger. {@code unavailable} promises that nothing happened and
 * nothing will; everything less certain is {@code outcome-unknown}, and repeating the call is safe.
 */
public final class LedgerProblems {

    private static final Logger LOG = Logger.getLogger(LedgerProblems.class);
    private static final int RETRY_AFTER_SECONDS = 2;

    private LedgerProblems() {
    }

    /**
     * The problem of a call that a service without a ledger cannot answer.
     *
     * @param what the start of the detail, for example {@code Webhooks need}
     */
    public static Problem notConfigured(String what) {
        return Problem.of(OutcomeCode.NOT_IMPLEMENTED,
                what + " PostgreSQL, and this service runs without it (rush.orders.sink).");
    }

    /** Maps an outage of the ledger to a problem; returns any other failure unchanged. */
    static Throwable mapOutage(
            Throwable failure, Function<OutcomeClass, ProblemException> problems) {
        if (failure instanceof LedgerFailure ledger && ledger.isOutage()) {
            LOG.debugf("The ledger is unavailable: %s", ledger.getMessage());
            return problems.apply(ledger.outcomeClass());
        }
        return failure;
    }

    /** Makes a change on the calling thread, and maps an outage of the ledger to its problem. */
    public static <T> T changing(Supplier<T> change) {
        try {
            return change.get();
        } catch (LedgerFailure e) {
            throw e.isOutage() ? ofChange(e.outcomeClass()) : e;
        }
    }

    /** The problem of work that changes something. */
    static ProblemException ofChange(OutcomeClass outcomeClass) {
        return outcomeClass == OutcomeClass.NOTHING_HAPPENED ? ofRead(outcomeClass)
                : unknown("The ledger did not answer in time. Repeat the same call: it takes effect"
                        + " once and returns the outcome.");
    }

    /** The problem of work that changes nothing, whatever its outcome. */
    static ProblemException ofRead(OutcomeClass outcomeClass) {
        return new ProblemException(
                Problem.of(OutcomeCode.UNAVAILABLE,
                        "The ledger does not answer, or has not caught up with"
                        + " Redis yet; try again."));
    }

    /** The problem of work that did not begin, because too much waits for a thread. */
    static ProblemException busy() {
        return new ProblemException(Problem.of(OutcomeCode.UNAVAILABLE));
    }

    /**
     * The remaining steps of a call that may have changed something already. Where they would
     * answer {@code unavailable}, the client gets an unknown outcome. A repeated call runs them
     * again.
     */
    public static <T> CompletableFuture<T> begun(CompletableFuture<T> remaining) {
        return remaining.exceptionallyCompose(failure -> {
            Throwable cause = cause(failure);
            return CompletableFuture.failedFuture(isUnavailable(cause) ? unfinished(cause) : cause);
        });
    }

    /**
     * As {@link #begun(CompletableFuture)}, on the calling thread.
     */
    public static <T> T begun(Supplier<T> remaining) {
        try {
            return remaining.get();
        } catch (RuntimeException e) {
            Throwable cause = cause(e);
            throw isUnavailable(cause) ? unfinished(cause) : e;
        }
    }

    /** Whether a failure is an outage of a store or a refusal, and not a defect of the program. */
    public static boolean isExpected(Throwable failure) {
        Throwable cause = cause(failure);
        return cause instanceof RedisFailure || cause instanceof LedgerFailure
                || cause instanceof ProblemException;
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause() : failure;
    }

    private static boolean isUnavailable(Throwable failure) {
        return isOutage(failure) || ProblemException.isUnavailable(failure);
    }

    private static boolean isOutage(Throwable failure) {
        return failure instanceof RedisFailure redis
                && redis.outcomeClass() != OutcomeClass.HALF_DONE
                || failure instanceof LedgerFailure ledger && ledger.isOutage();
    }

    /** PostgreSQL has failed over since this was committed, and may have lost it. */
    public static ProblemException mayBeLost() {
        return unknown("PostgreSQL may have lost this in a failover. Repeat the same call.");
    }

    /** PostgreSQL has committed this, but Redis has not recorded it, as the durability requires. */
    public static ProblemException unrecorded() {
        return unknown("Redis did not record this, so a failover of PostgreSQL could lose it. "
                + "Repeat the same call.");
    }

    private static ProblemException unfinished(Throwable cause) {
        String reason = cause instanceof ProblemException problem
                ? " (" + problem.problem().detail() + ")" : "";
        return unknown("This call was interrupted after it had changed something" + reason
                + ". Repeat the same call to complete it.");
    }

    private static ProblemException unknown(String detail) {
        return new ProblemException(
                Problem.retryable(OutcomeCode.OUTCOME_UNKNOWN, detail, Map.of(),
                        RETRY_AFTER_SECONDS));
    }
}
