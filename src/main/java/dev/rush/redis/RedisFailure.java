package dev.rush.redis;

import io.vertx.redis.client.Response;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A call to Redis gave no reply to use. It carries no stack trace, because a crowd of callers may
 * meet one outage, and no command, because commands carry users' data.
 */
public final class RedisFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** How often a call is tried in all while Redis takes no writes. */
    public static final int UNWRITABLE_TRIES = 3;

    private final OutcomeClass outcomeClass;
    private final boolean unwritable;
    private final transient Response reply;

    /** A failure of a class, with a reason fit for a log. */
    public RedisFailure(OutcomeClass outcomeClass, String reason) {
        this(outcomeClass, reason, false);
    }

    public RedisFailure(OutcomeClass outcomeClass, String reason, boolean unwritable) {
        this(outcomeClass, reason, unwritable, null);
    }

    private RedisFailure(
            OutcomeClass outcomeClass, String reason, boolean unwritable, Response reply) {
        super(reason, null, false, false);
        this.outcomeClass = outcomeClass;
        this.unwritable = unwritable;
        this.reply = reply;
    }

    /** A call ran, and it is not known that the replicas have what it wrote. */
    public static RedisFailure unreplicated(String reason, Response reply) {
        return new RedisFailure(OutcomeClass.UNKNOWN, reason, false, reply);
    }

    /** What the master answered to a call that its replicas may not have; null for all others. */
    public Response reply() {
        return reply;
    }

    /**
     * Whether Redis said that it takes no writes: it is full, cannot save, lacks replicas, or its
     * data has a layout that this release does not know. That outlasts a purchase, so a few tries
     * are enough, and who waits hears it at once.
     */
    public boolean isUnwritable() {
        return unwritable;
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
