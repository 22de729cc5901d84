package dev.rush.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A call to Redis gave no reply to use. It carries no stack trace, because a crowd of callers may
 * meet one outage, and no command, because commands carry users' data.
 */
public final class RedisFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final OutcomeClass outcomeClass;

    /** A failure of a class, with a reason fit for a log. */
    public RedisFailure(OutcomeClass outcomeClass, String reason) {
        super(reason, null, false, false);
        this.outcomeClass = outcomeClass;
    }

    /** What is known of the call. */
    public OutcomeClass outcomeClass() {
        return outcomeClass;
    }

    /**
     * A step that follows one which took effect: of it, too, that nothing happened is not said.
     *
     * @return the same, but a failure of class {@link OutcomeClass#NOTHING_HAPPENED} is one of
     *         class {@link OutcomeClass#UNKNOWN}
     */
    public static <T> CompletableFuture<T> afterEffect(CompletableFuture<T> step) {
        return step.exceptionallyCompose(failure -> {
            Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                    ? failure.getCause() : failure;
            return CompletableFuture.failedFuture(cause instanceof RedisFailure redis
                    && redis.outcomeClass == OutcomeClass.NOTHING_HAPPENED
                    ? new RedisFailure(OutcomeClass.UNKNOWN, redis.getMessage()) : cause);
        });
    }
}
