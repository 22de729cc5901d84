package dev.rush.testing;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;

/**
 * Checks with Lincheck that the concurrent operations of a class have the results of some
 * sequential order. The ordinary suite tries a few thousand interleavings; {@code -Pconcurrency}
 * tries many more.
 */
public final class Interleavings {
    private static final int EFFORT = Integer.getInteger("concurrency.effort", 1);
    private static final int SCENARIOS = 3;

    private Interleavings() {
    }

    /**
     * Explores the interleavings by model checking: a failure is reproducible and shows its trace.
     */
    public static void check(Class<?> operations) {
        new ModelCheckingOptions().iterations(SCENARIOS * EFFORT).invocationsPerIteration(300)
                .threads(2).actorsPerThread(3).actorsBefore(1).actorsAfter(1)
                .check(operations);
    }

    /** Runs real threads, for code that hands work to the threads of a library. */
    public static void stress(Class<?> operations) {
        new StressOptions().iterations(SCENARIOS * EFFORT).invocationsPerIteration(2_000)
                .threads(2).actorsPerThread(3).actorsBefore(1).actorsAfter(1)
                .check(operations);
    }
}
