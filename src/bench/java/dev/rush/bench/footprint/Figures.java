package dev.rush.bench.footprint;

import dev.rush.bench.Measures;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The figures measured for each subject, and their table. */
final class Figures {
    private static final double MIB = 1 << 20;

    private static final Map<Kind, String> NAMES = Map.of(Kind.FIRST_MS, "first purchase",
            Kind.FIRST_CPU_MS, "CPU until then", Kind.LOADED_BYTES, "memory under load");

    /** The kinds of figures. */
    enum Kind {
        FIRST_MS, FIRST_CPU_MS, IDLE_BYTES, LOADED_BYTES, PER_SECOND, CPU_MICROS, P99_MS,
        FAILED
    }

    private final Map<Subject, Map<Kind, List<Double>>> all = new HashMap<>();

    void add(Subject subject, Kind kind, double figure) {
        all.computeIfAbsent(subject, created -> new EnumMap<>(Kind.class))
                .computeIfAbsent(kind, created -> new ArrayList<>()).add(figure);
    }

    /** Returns the medians as a table, followed by the target ratios. */
    String table(List<Subject> subjects) {
        StringBuilder text = new StringBuilder("""
                | | shipped MiB | first purchase ms (min–max) | its CPU ms | idle MiB \
                | under load MiB | purchases/s | CPU µs each | p99 ms |
                |---|--:|--:|--:|--:|--:|--:|--:|--:|
                """);
        for (Subject subject : subjects) {
            List<Double> first = sorted(subject, Kind.FIRST_MS);
            double failed = sorted(subject, Kind.FAILED).stream().mapToDouble(f -> f).sum();
            text.append(String.format(Locale.ROOT,
                    "| %s | %.0f | %.0f (%.0f–%.0f) | %.0f | %.0f | %.0f "
                            + "| %,.0f | %.1f | %.2f |%s%n",
                    subject.name(), subject.bytes() / MIB, Measures.median(first), first.get(0),
                    first.get(first.size() - 1), median(subject, Kind.FIRST_CPU_MS),
                    median(subject, Kind.IDLE_BYTES) / MIB,
                    median(subject, Kind.LOADED_BYTES) / MIB, median(subject, Kind.PER_SECOND),
                    median(subject, Kind.CPU_MICROS), median(subject, Kind.P99_MS),
                    failed > 0 ? " WRONG: " + failed + " requests failed" : ""));
        }
        text.append("\n| | measured | target | |\n|---|--:|--:|---|\n");
        ratio(text, subjects, Subject.NATIVE, Subject.JAVA, Kind.FIRST_MS, 0.025);
        ratio(text, subjects, Subject.NATIVE, Subject.JAVA, Kind.FIRST_CPU_MS, 0.15);
        ratio(text, subjects, Subject.NATIVE, Subject.SPRING, Kind.LOADED_BYTES, 0.35);
        perCpuSecond(text, subjects, Subject.JAVA, 0.65);
        perCpuSecond(text, subjects, Subject.FORMER, 1.5);
        ratio(text, subjects, Subject.TRAINED, Subject.JAVA, Kind.FIRST_MS, 0.55);
        ratio(text, subjects, Subject.TRAINED, Subject.JAVA, Kind.FIRST_CPU_MS, 0.55);
        subjects.stream().filter(subject -> subject.name().equals(Subject.NATIVE))
                .forEach(subject -> row(text, "first purchase of the native executable, ms",
                        median(subject, Kind.FIRST_MS), 60));
        return text.toString();
    }

    /** Adds the ratio of purchases per CPU second, native executable to another subject. */
    private void perCpuSecond(
            StringBuilder text, List<Subject> subjects, String other, double min) {
        Map<String, Double> micros = new HashMap<>();
        subjects.forEach(subject ->
                micros.put(subject.name(), median(subject, Kind.CPU_MICROS)));
        if (micros.containsKey(Subject.NATIVE) && micros.containsKey(other)) {
            double figure = micros.get(other) / micros.get(Subject.NATIVE);
            text.append(String.format(Locale.ROOT, "| purchases per CPU second: %s ÷ %s | %.2f "
                    + "| ≥ %.2f | %s |%n", Subject.NATIVE, other, figure, min,
                    figure >= min ? "met" : "missed"));
        }
    }

    private void ratio(StringBuilder text, List<Subject> subjects, String one, String other,
            Kind kind, double max) {
        List<Subject> both = subjects.stream()
                .filter(subject -> subject.name().equals(one) || subject.name().equals(other))
                .sorted((a, b) -> a.name().equals(one) ? -1 : 1).toList();
        if (both.size() == 2) {
            row(text, NAMES.get(kind) + ": " + one + " ÷ " + other,
                    median(both.get(0), kind) / median(both.get(1), kind), max);
        }
    }

    private static void row(StringBuilder text, String name, double figure, double max) {
        text.append(String.format(Locale.ROOT, "| %s | %.3f | ≤ %.3f | %s |%n", name, figure,
                max, figure <= max ? "met" : "missed"));
    }

    private List<Double> sorted(Subject subject, Kind kind) {
        return all.get(subject).get(kind).stream().sorted().toList();
    }

    private double median(Subject subject, Kind kind) {
        return Measures.median(all.get(subject).get(kind));
    }
}
