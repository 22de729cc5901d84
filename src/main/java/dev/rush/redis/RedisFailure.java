package dev.rush.redis;

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
}
