package dev.rush.redis;

import io.vertx.redis.client.Response;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A call to Redis without a usable reply. It has no stack trace, because an outage may fail
 * thousands of calls, and no command, because commands contain users' data.
 */
public final class RedisFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** How often a call is attempted if the cause of its failure lasts. */
    public static final int LASTING_TRIES = 3;

    private final OutcomeClass outcomeClass;
    private final boolean lasting;
    private final String reason;
    private final transient @Nullable Response reply;

    /** A failure of a class, with a reason fit for a log. */
    public RedisFailure(OutcomeClass outcomeClass, String reason) {
        this(outcomeClass, reason, false);
    }

    /** As above, and whether the cause lasts. */
    public RedisFailure(OutcomeClass outcomeClass, String reason, boolean lasting) {
        this(outcomeClass, reason, lasting, null);
    }

    private RedisFailure(
            OutcomeClass outcomeClass, String reason, boolean lasting, @Nullable Response reply) {
        super(reason, null, false, false);
        this.reason = reason;
        this.outcomeClass = outcomeClass;
        this.lasting = lasting;
        this.reply = reply;
    }

    /** A call ran, but the replicas may not have what it wrote. */
    public static RedisFailure unreplicated(String reason, Response reply) {
        return new RedisFailure(OutcomeClass.UNKNOWN, reason, false, reply);
    }

    /** The reason; never null. */
    @Override
    public String getMessage() {
        return reason;
    }

    /** The master's reply to a call that its replicas may not have; null for all others. */
    public @Nullable Response reply() {
        return reply;
    }

    /**
     * Whether the cause outlasts a purchase: Redis is full, cannot save, lacks replicas, or holds
     * data of an unknown layout. Such a call is attempted {@link #LASTING_TRIES} times.
     */
    public boolean isLasting() {
        return lasting;
    }

    /** What is known of the call's outcome. */
    public OutcomeClass outcomeClass() {
        return outcomeClass;
    }

    /**
     * Turns {@link OutcomeClass#NOTHING_HAPPENED} into {@link OutcomeClass#UNKNOWN}, for a step
     * that follows one that took effect.
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
