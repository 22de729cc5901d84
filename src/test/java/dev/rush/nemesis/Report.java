package dev.rush.nemesis;

import dev.rush.nemesis.checker.Findings;
import dev.rush.nemesis.client.History;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.Injected;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a run came to.
 *
 * @param gone answered orders and grabs that no store has
 * @param lost orders and grabs that the books count as lost
 */
record Report(Options options, History history, List<Injected> injected, int repairs, long gone,
        long lost, Findings findings) {

    /** Returns whether nothing was found wrong. */
    boolean clean() {
        return findings.count() == 0;
    }

    /** Writes it as {@code report.md} and {@code report-<seed>.md}. */
    void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("report.md"), text());
        Files.writeString(folder.resolve("report-" + options.seed() + ".md"), text());
    }

    /** Returns it as Markdown. */
    String text() {
        List<String> lines = new ArrayList<>();
        lines.add("# Nemesis, seed " + options.seed());
        lines.add("");
        lines.add("`" + options.command() + "`");
        lines.add("");
        lines.add(String.format("%,d operations, %d faults, %,d unknown, %,d answered orders "
                + "gone, %,d counted as lost, %d sales repaired, **%d violations**",
                history.size(), injected.size(), history.count(Outcome.UNKNOWN), gone, lost,
                repairs, findings.count()));
        lines.add("");
        lines.addAll(findings.lines());
        lines.add("");
        lines.add("| operation | ok | refused | unavailable | unknown | failed |");
        lines.add("|---|---|---|---|---|---|");
        Map<String, Map<Outcome, Long>> kinds = history.operations().stream().collect(
                Collectors.groupingBy(one -> one.kind().name().toLowerCase(), TreeMap::new,
                        Collectors.groupingBy(Operation::outcome, Collectors.counting())));
        kinds.forEach((kind, counts) -> lines.add("| " + kind + " | "
                + List.of(Outcome.values()).stream()
                        .map(outcome -> String.format("%,d", count(counts, outcome)))
                        .collect(Collectors.joining(" | ")) + " |"));
        lines.add("");
        lines.add("| word | answers |");
        lines.add("|---|---|");
        history.operations().stream().filter(one -> one.outcome() != Outcome.OK)
                .collect(Collectors.groupingBy(
                        Operation::word, TreeMap::new, Collectors.counting()))
                .forEach((word, count) -> lines.add("| " + word + " | " + count + " |"));
        lines.add("");
        lines.add("| fault | injected |");
        lines.add("|---|---|");
        injected.stream().collect(Collectors.groupingBy(
                Injected::name, TreeMap::new, Collectors.counting()))
                .forEach((name, count) -> lines.add("| " + name + " | " + count + " |"));
        lines.add("");
        return String.join("\n", lines);
    }

    private static long count(Map<Outcome, Long> counts, Outcome outcome) {
        return counts.getOrDefault(outcome, 0L);
    }
}
