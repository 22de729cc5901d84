package dev.rush.testing;

import java.time.Duration;

/**
 * How much slower than a quiet machine the tests allow this one to be. A limit of a test says how
 * long something may take on a quiet machine; it waits this many times as long before it fails.
 * {@code -Drush.patience=1} holds every limit as it is written.
 */
public final class Patience {
    private static final int FACTOR = Integer.getInteger("rush.patience", 5);

    private Patience() {
    }

    /** Returns how long to wait for what takes so long at most on a quiet machine. */
    public static Duration of(Duration quiet) {
        return quiet.multipliedBy(FACTOR);
    }

    /** As above, in milliseconds. */
    public static long ofMillis(long quiet) {
        return quiet * FACTOR;
    }
}
