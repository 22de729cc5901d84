package dev.rush.reconciliation.report;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What fails in rounds of work, one subject after another, so that none keeps the others waiting. A
 * round says in one line what failed in it and not in the round before. Used by one thread.
 */
public final class Failures {

    private final Consumer<String> log;
    private final String line;
    private Set<String> before = Set.of();
    private Set<String> now = new HashSet<>();
    private int news;
    private String first;

    /**
     * None so far.
     *
     * @param line of a round: how many failed (%d), and one of them with its reason (%s)
     */
    public Failures(Consumer<String> log, String line) {
        this.log = log;
        this.line = line;
    }

    /** Takes note that a subject failed in this round. */
    public void note(String subject, RuntimeException failure) {
        if (now.add(subject) && !before.contains(subject) && news++ == 0) {
            first = subject + ": " + failure.getMessage();
        }
    }

    /** Ends a round. */
    public void tell() {
        if (news > 0) {
            log.accept(String.format(line, news, first));
        }
        before = now;
        now = new HashSet<>();
        news = 0;
    }
}
