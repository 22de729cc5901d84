package dev.rush.http.limit;

import dev.rush.RateLimitConfig;
import dev.rush.RushConfig;
import dev.rush.http.Answer;
import dev.rush.http.Caller;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A token bucket per user on this pod, for purchases, grabs and returns. Operators, payers and
 * auditors are exempt.
 */
@Singleton
public class RateLimits {

    private final boolean enabled;
    private final String parameters;
    private final GcraRateLimiter limiter;
    private final long startNanos = System.nanoTime();

    @Inject
    RateLimits(RushConfig config) {
        RateLimitConfig limit = config.rateLimit();
        enabled = limit.enabled();
        long burst = limit.burst();
        long seconds = Math.max(1, (burst + limit.perSecond() - 1) / limit.perSecond());
        parameters = "q=" + burst + ";w=" + seconds;
        limiter = new GcraRateLimiter(limit.perSecond(), burst, limit.users());
    }

    /** The refusal, or null if the caller may proceed. */
    @Nullable Answer refusal(Caller caller) {
        if (!enabled || !caller.isLimited()) {
            return null;
        }
        long nanos = limiter.take(caller.user(), System.nanoTime() - startNanos);
        if (nanos == 0) {
            return null;
        }
        int seconds = (int) TimeUnit.NANOSECONDS.toSeconds(nanos + 999_999_999L);
        int wait = Math.max(1, seconds);
        return Problem.rateLimited(
                OutcomeCode.RATE_LIMITED.title() + ".", "user", parameters, wait).answer();
    }
}
