package dev.rush.http.limit;

import dev.rush.http.Answer;
import dev.rush.http.Caller;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** The checks of a well-formed purchase, grab or return: rate limit, then blocklist. */
@Singleton
public class Admission {

    private final RateLimits rateLimits;
    private final Blocklist blocklist;

    @Inject
    Admission(RateLimits rateLimits, Blocklist blocklist) {
        this.rateLimits = rateLimits;
        this.blocklist = blocklist;
    }

    /** The refusal, or null if the caller may proceed. */
    public @Nullable Answer refusal(Caller caller) {
        Answer limited = rateLimits.refusal(caller);
        if (limited != null) {
            return limited;
        }
        if (!blocklist.isLoaded()) {
            return Problem.of(OutcomeCode.UNAVAILABLE).answer();
        }
        return blocklist.contains(caller.user()) ? Problem.of(OutcomeCode.BLOCKED).answer() : null;
    }
}
