package dev.rush.nemesis.checker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The broken rules of a run, each with the count and the first, worst and last case. */
public final class Findings {
    private final Map<String, Finding> findings = new TreeMap<>();

    /** One case of a broken rule. */
    private record Case(long at, long severity, String evidence) {
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

        private void add(Case added) {
            count++;
            first = first == null || added.at < first.at ? added : first;
            last = last == null || added.at >= last.at ? added : last;
            worst = worst == null || added.severity > worst.severity ? added : worst;
        }
    }

    /**
     * Adds a case.
     *
     * @param rule begins with its invariant: {@code I7: …}
     * @param at when it happened, ns since the run began
     * @param severity the worst case has the highest
     */
    public void add(String rule, long at, long severity, Object evidence) {
        findings.computeIfAbsent(rule, missing -> new Finding())
                .add(new Case(at, severity, String.valueOf(evidence)));
    }

    /** Returns the number of cases of all rules. */
    public long count() {
        return findings.values().stream().mapToLong(finding -> finding.count).sum();
    }

    /** Returns the broken rules. */
    public List<String> rules() {
        return List.copyOf(findings.keySet());
    }

    /** Returns the lines for a report; none if no rule was broken. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        findings.forEach((rule, finding) -> {
            lines.add("- " + rule + ": " + finding.count);
            lines.add("  - first: " + finding.first);
            lines.add("  - worst (" + finding.worst.severity + "): " + finding.worst);
            lines.add("  - last: " + finding.last);
        });
        return lines;
    }
}
