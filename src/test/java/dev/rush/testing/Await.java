package dev.rush.testing;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for effects in other processes. */
public final class Await {
    private static final long PAUSE_MS = 50;

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
        long deadline = System.nanoTime() + Patience.of(limit).toNanos();
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
            sleep(PAUSE_MS);
        } while (System.nanoTime() < deadline);
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
