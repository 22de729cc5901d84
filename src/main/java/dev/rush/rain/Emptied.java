package dev.rush.rain;

import dev.rush.RushConfig;
import dev.rush.http.Problem;
import dev.rush.http.Word;
import dev.rush.offer.RecentRefusals;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

/** Cache of empty rains. */
@Singleton
class Emptied extends RecentRefusals {

    private static final String WHOLE = "";

    @Inject
    Emptied(RushConfig config) {
        super(config);
    }

    /** The refusal that may be answered without calling Redis, or null. */
    Problem refusal(String rain) {
        return refusal(rain, WHOLE);
    }

    /** Records that Redis answered empty. Returns the problem. */
    Problem mark(String rain) {
        return mark(rain, WHOLE, () -> Problem.of(Word.EMPTY));
    }
}
