package dev.rush.nemesis.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the checker has found: count, first, worst and last case of each broken rule. */
public final class Findings {
    private final Map<String, Finding> findings = new TreeMap<>();

    /** One case of a broken rule. */
    private record Case(long at, long badness, String evidence) {
        @Override
        public String toString() {
            return evidence.length() > 600 ? evidence.substring(0, 600) + "…" : evidence;
        }
    }

    /** All cases of one broken rule. */
    private static final class Finding {
        private long count;
        private Case first;
        private Case worst;
        private Case last;

        private void add(Case one) {
            count++;
            first = first == null || one.at < first.at ? one : first;
            last = last == null || one.at >= last.at ? one : last;
            worst = worst == null || one.badness > worst.badness ? one : worst;
        }
    }

    /**
     * Adds a case.
     *
     * @param rule with the invariant it belongs to: {@code I7: …}
     * @param at when it happened, ns since the run began
     * @param badness the worst case has the most
     */
    public void add(String rule, long at, long badness, Object evidence) {
        findings.computeIfAbsent(rule, none -> new Finding())
                .add(new Case(at, badness, String.valueOf(evidence)));
    }

    /** Returns how many cases there are of all rules. */
    public long count() {
        return findings.values().stream().mapToLong(finding -> finding.count).sum();
    }

    /** Returns the rules that are broken. */
    public List<String> rules() {
        return List.copyOf(findings.keySet());
    }

    /** Returns lines of a report; none if nothing was found. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        findings.forEach((rule, finding) -> {
            lines.add("- " + rule + ": " + finding.count);
            lines.add("  - first: " + finding.first);
            lines.add("  - worst (" + finding.worst.badness + "): " + finding.worst);
            lines.add("  - last: " + finding.last);
        });
        return lines;
    }
}
