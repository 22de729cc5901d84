package dev.rush.rain;

import dev.rush.RushConfig;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.offer.RefusalCache;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** Cache of empty rains. */
@Singleton
class EmptyRainCache extends RefusalCache {

    private static final String WHOLE = "";

    @Inject
    EmptyRainCache(RushConfig config) {
        super(config);
    }

    /** The refusal that may be answered without calling Redis, or null. */
    @Nullable Problem refusal(String rain) {
        return refusal(rain, WHOLE);
    }

    /** Records that Redis answered empty. Returns the problem. */
    Problem mark(String rain) {
        return mark(rain, WHOLE, () -> Problem.of(OutcomeCode.EMPTY));
    }
}
