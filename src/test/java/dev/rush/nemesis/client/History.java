package dev.rush.nemesis.client;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** All operations of a run, in the order of their answers. */
public final class History {
    /** About 200 bytes each. */
    private static final int OPERATIONS_MAX = 3_000_000;

    private final long startNanos = System.nanoTime();
    private final long startWallMs = System.currentTimeMillis();
    private final List<Operation> operations = new ArrayList<>();
    private final Map<Outcome, Long> outcomes = new EnumMap<>(Outcome.class);

    /** Returns now, in ns since the run began. */
    public long now() {
        return System.nanoTime() - startNanos;
    }

    /** Returns the wall-clock time in ms at an instant in ns since the run began. */
    public long wallMs(long at) {
        return startWallMs + at / 1_000_000;
    }

    /** Adds an operation. */
    public synchronized void add(Operation operation) {
        operations.add(operation);
        outcomes.merge(operation.outcome(), 1L, Long::sum);
    }

    /** Returns whether clients must stop, because the history is full. */
    public synchronized boolean full() {
        return operations.size() >= OPERATIONS_MAX;
    }

    /** Returns the number of operations. */
    public synchronized int size() {
        return operations.size();
    }

    /** Returns the number of operations with an outcome. */
    public synchronized long count(Outcome outcome) {
        return outcomes.getOrDefault(outcome, 0L);
    }

    /** Returns a copy of all operations. */
    public synchronized List<Operation> operations() {
        return List.copyOf(operations);
    }
}
