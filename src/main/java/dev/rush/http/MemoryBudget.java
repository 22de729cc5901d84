package dev.rush.http;

import java.util.concurrent.atomic.AtomicLong;

/** How many bytes of one kind the connections of a pod may hold together. Thread-safe. */
final class MemoryBudget {

    private final long max;
    private final AtomicLong held = new AtomicLong();

    MemoryBudget(long max) {
        this.max = max;
    }

    /**
     * Adds bytes, which count until they are taken off again by a negative number.
     *
     * @return whether the budget suffices
     */
    boolean add(long bytes) {
        return held.addAndGet(bytes) <= max;
    }
}
