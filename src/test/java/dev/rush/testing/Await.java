package dev.rush.testing;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for effects in other processes. It looks often at first, then less and less, because each
 * look costs processor time, which whatever is awaited needs too.
 */
public final class Await {
    private static final long PAUSE_MIN_MS = 20;
    private static final long PAUSE_MAX_MS = 250;
    /** A pause is this part of the time waited so far, so the end is noticed little later. */
    private static final long PAUSE_PART = 10;

    private Await() {
    }

    /**
     * Returns as soon as the condition holds. A condition that throws does not hold yet.
     *
     * @param limit on a quiet machine; {@link Patience} stretches it
     * @throws AssertionError if it does not hold by then; names what was awaited
     */
    public static void until(String what, Duration limit, BooleanSupplier condition) {
        until(what, limit, condition, () -> "");
    }

    /** As above, with evidence that is collected on a timeout. */
    public static void until(
            String what, Duration limit, BooleanSupplier condition, Supplier<String> evidence) {
        long start = System.nanoTime();
        long limitMs = Patience.of(limit).toMillis();
        long waitedMs;
        RuntimeException last = null;
        do {
            try {
                if (condition.getAsBoolean()) {
                    return;
                }
                last = null;
            } catch (RuntimeException e) {
                last = e;
            }
            waitedMs = (System.nanoTime() - start) / 1_000_000;
            sleep(Math.max(PAUSE_MIN_MS, Math.min(PAUSE_MAX_MS, waitedMs / PAUSE_PART)));
        } while (waitedMs < limitMs);
        throw new AssertionError(
                "not within " + Patience.of(limit) + ": " + what + "\n" + evidence.get(), last);
    }

    /** Sleeps; being interrupted is an error in a test. */
    public static void sleep(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
