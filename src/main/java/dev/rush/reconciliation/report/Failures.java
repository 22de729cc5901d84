package dev.rush.reconciliation.report;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Collects the failures of a round of work, so that one subject's failure does not stop the others.
 * Each round logs one line about subjects that did not fail in the previous round. Used by one
 * thread.
 */
public final class Failures {

    private final Consumer<String> log;
    private final String line;
    private Set<String> before = Set.of();
    private Set<String> now = new HashSet<>();
    private int fresh;
    private @Nullable String first;

    /**
     * Creates an empty collection.
     *
     * @param line format of a round's line: how many failed (%d), and one of them with its reason
     *             (%s)
     */
    public Failures(Consumer<String> log, String line) {
        this.log = log;
        this.line = line;
    }

    /** Records that a subject failed. Returns whether it did not in the previous round. */
    public boolean note(String subject, RuntimeException failure) {
        boolean isNew = now.add(subject) && !before.contains(subject);
        if (isNew && fresh++ == 0) {
            first = subject + ": " + failure.getMessage();
        }
        return isNew;
    }

    /** Ends a round, and logs its new failures. */
    public void endRound() {
        if (fresh > 0) {
            log.accept(String.format(line, fresh, first));
        }
        before = now;
        now = new HashSet<>();
        fresh = 0;
    }
}
