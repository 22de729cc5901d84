package dev.rush.rain;

import dev.rush.RushConfig;
import dev.rush.http.Problem;
import dev.rush.http.Word;
import dev.rush.offer.RecentRefusals;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

/** The rains that this pod knows to be empty. */
@Singleton
class Emptied extends RecentRefusals {

    private static final String WHOLE = "";

    @Inject
    Emptied(RushConfig config) {
        super(config);
    }

    /** The refusal that may be given without asking Redis, or null. */
    Problem refusal(String rain) {
        return refusal(rain, WHOLE);
    }

    /** Takes note that Redis said empty. Returns the problem that says so. */
    Problem mark(String rain) {
        return mark(rain, WHOLE, () -> Problem.of(Word.EMPTY));
    }
}
