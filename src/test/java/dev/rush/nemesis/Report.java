package dev.rush.nemesis;

import dev.rush.nemesis.checker.Findings;
import dev.rush.nemesis.client.History;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.InjectedFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The result of a run.
 *
 * @param repairs how often a sale was repaired
 * @param missing answered orders and grabs that neither the ledger nor its dead letters have
 * @param lost orders and grabs that the ledger counts as lost
 */
record Report(Options options, History history, List<InjectedFault> injected, int repairs,
        long missing, long lost, Findings findings) {

    /** Returns whether no rule was broken. */
    boolean clean() {
        return findings.count() == 0;
    }

    /** Writes the report to {@code report.md} and {@code report-<seed>.md}. */
    void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("report.md"), text());
        Files.writeString(folder.resolve("report-" + options.seed() + ".md"), text());
    }

    /** Returns the report as Markdown. */
    String text() {
        List<String> lines = new ArrayList<>();
        lines.add("# Nemesis, seed " + options.seed());
        lines.add("");
        lines.add("`" + options.command() + "`");
        lines.add("");
        lines.add(String.format("%,d operations, %d faults, %,d unknown, %,d answered orders "
                + "missing, %,d counted as lost, %d sales repaired, **%d violations**",
                history.size(), injected.size(), history.count(Outcome.UNKNOWN), missing, lost,
                repairs, findings.count()));
        lines.add("");
        lines.addAll(findings.lines());
        lines.add("");
        lines.add("| operation | ok | refused | unavailable | unknown | failed |");
        lines.add("|---|---|---|---|---|---|");
        Map<String, Map<Outcome, Long>> kinds = history.operations().stream().collect(
                Collectors.groupingBy(
                        operation -> operation.kind().name().toLowerCase(), TreeMap::new,
                        Collectors.groupingBy(Operation::outcome, Collectors.counting())));
        kinds.forEach((kind, counts) -> lines.add("| " + kind + " | "
                + List.of(Outcome.values()).stream()
                        .map(outcome -> String.format("%,d", count(counts, outcome)))
                        .collect(Collectors.joining(" | ")) + " |"));
        lines.add("");
        lines.add("| word | answers |");
        lines.add("|---|---|");
        history.operations().stream().filter(operation -> operation.outcome() != Outcome.OK)
                .collect(Collectors.groupingBy(
                        Operation::word, TreeMap::new, Collectors.counting()))
                .forEach((word, count) -> lines.add("| " + word + " | " + count + " |"));
        lines.add("");
        lines.add("| fault | injected |");
        lines.add("|---|---|");
        injected.stream().collect(Collectors.groupingBy(
                InjectedFault::name, TreeMap::new, Collectors.counting()))
                .forEach((name, count) -> lines.add("| " + name + " | " + count + " |"));
        lines.add("");
        return String.join("\n", lines);
    }

    private static long count(Map<Outcome, Long> counts, Outcome outcome) {
        return counts.getOrDefault(outcome, 0L);
    }
}
