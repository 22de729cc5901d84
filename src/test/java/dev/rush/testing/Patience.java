package dev.rush.testing;

import java.time.Duration;

/**
 * The factor by which tests allow this machine to be slower than a quiet one. A test's limit says
 * how long something may take on a quiet machine; the test fails after this many times as long.
 * {@code -Drush.patience=1} applies every limit unchanged.
 */
public final class Patience {
    private static final int FACTOR = Integer.getInteger("rush.patience", 5);

    private Patience() {
    }

    /** Returns the time limit for something that takes at most this long on a quiet machine. */
    public static Duration of(Duration quiet) {
        return quiet.multipliedBy(FACTOR);
    }

    /** As above, in milliseconds. */
    public static long ofMillis(long quiet) {
        return quiet * FACTOR;
    }
}
