package dev.rush.testing;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;

/**
 * Runs the operations of a class on threads at once and wants the results of some order one by one.
 * The ordinary suite tries a few thousand interleavings; {@code -Pconcurrency} tries many more.
 */
public final class Interleavings {
    private static final int EFFORT = Integer.getInteger("concurrency.effort", 1);
    private static final int SCENARIOS = 3;

    private Interleavings() {
    }

    /** Chooses where threads take turns, so that a failure comes again and shows its way. */
    public static void check(Class<?> operations) {
        new ModelCheckingOptions().iterations(SCENARIOS * EFFORT).invocationsPerIteration(300)
                .threads(2).actorsPerThread(3).actorsBefore(1).actorsAfter(1)
                .check(operations);
    }

    /** Lets the machine choose: for code that hands work to threads of a library. */
    public static void stress(Class<?> operations) {
        new StressOptions().iterations(SCENARIOS * EFFORT).invocationsPerIteration(2_000)
                .threads(2).actorsPerThread(3).actorsBefore(1).actorsAfter(1)
                .check(operations);
    }
}
