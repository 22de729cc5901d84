package dev.rush.offer;

import dev.rush.RushConfig;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.redis.OutcomeClass;
import dev.rush.redis.RedisFailure;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.function.Function;
import org.jboss.logging.Logger;

/** Problems for purchases and grabs that Redis did not decide. */
@Singleton
public class FailedCalls {

    private static final Logger LOG = Logger.getLogger(FailedCalls.class);

    private final Counter halfDone;
    private final int retryAfterSeconds;

    @Inject
    FailedCalls(RushConfig config, MeterRegistry registry) {
        this.halfDone = Counter.builder("rush.half.done")
                .description("Script calls that failed after a write").register(registry);
        this.retryAfterSeconds = (int) Math.max(1, config.deadline().toSeconds());
    }

    /**
     * The problem of a call without a usable reply.
     *
     * @param key      the idempotency key with which the client may retry
     * @param halfDone handles a half-done call, given the reason, as {@link #halfDone} requires
     */
    public Problem problem(Throwable failure, String key, Function<String, Problem> halfDone) {
        if (failure instanceof RedisFailure redis) {
            return switch (redis.outcomeClass()) {
                case NOTHING_HAPPENED -> Problem.of(OutcomeCode.UNAVAILABLE);
                case UNKNOWN -> unknown(key);
                case HALF_DONE -> halfDone.apply(redis.getMessage());
            };
        }
        LOG.error("A request failed", failure);
        return Problem.of(OutcomeCode.FAILED);
    }

    /** The problem of a call with unknown outcome. */
    public Problem unknown(String key) {
        return Problem.retryable(OutcomeCode.OUTCOME_UNKNOWN,
                OutcomeCode.OUTCOME_UNKNOWN.title() + ".",
                Map.of("idempotencyKey", key), retryAfterSeconds);
    }

    /**
     * Counts and logs a bug in a script. What the script wrote is not rolled back, so the caller
     * must pause {@code what} before more is written.
     *
     * @param what for example {@code sale apple-day}
     */
    public Problem halfDone(String what, String reason) {
        halfDone.increment();
        LOG.errorf("%s: a script failed on %s (%s), which is paused now",
                OutcomeClass.HALF_DONE, what, reason);
        return Problem.of(OutcomeCode.FAILED);
    }
}
