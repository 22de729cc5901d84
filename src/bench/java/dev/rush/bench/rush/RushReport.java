package dev.rush.bench.rush;

import dev.rush.bench.wire.Tally;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The result of a rush. */
public final class RushReport {
    /** Expected refusals; any other refusal counts as an error. */
    private static final Set<String> REFUSALS = Set.of("sold-out", "insufficient-stock", "empty",
            "limit-reached", "paused", "closed", "not-open", "rate-limited", "blocked",
            "duplicate-submission", "backlogged", "unavailable");

    private final RushPlan plan;
    private final Tally tally;
    private final Duration elapsed;
    private final Books books;

    RushReport(RushPlan plan, Tally tally, Duration elapsed, Books books) {
        this.plan = plan;
        this.tally = tally;
        this.elapsed = elapsed;
        this.books = books;
    }

    /** How many buyers got a unit. */
    public long accepted() {
        return tally.of("accepted");
    }

    /** How many buyers were refused, by word. */
    public Map<String, Long> refused() {
        return tally.words().entrySet().stream().filter(e -> REFUSALS.contains(e.getKey()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Buyers who do not know whether they got a unit. */
    public long unknown() {
        return Books.unknown(tally);
    }

    /** Unexpected answers, and buyers whose requests were never sent. */
    public long errors() {
        long answered = tally.words().values().stream().mapToLong(Long::longValue).sum();
        long refused = refused().values().stream().mapToLong(Long::longValue).sum();
        long wrong = answered - accepted() - refused - tally.of("outcome-unknown");
        return wrong + plan.buyers() - tally.count();
    }

    /** Whether the service's books and views match the answers to its clients. */
    public boolean addsUp() {
        return books.problem() == null;
    }

    /** Returns the report as text. */
    public String text() {
        double seconds = elapsed.toNanos() / 1e9;
        StringBuilder text = new StringBuilder();
        text.append(String.format(Locale.ROOT,
                "%,d buyers for %,d units of %s over %,d connections%n",
                plan.buyers(), plan.units(), plan.path(), plan.clients()));
        line(text, "accepted", accepted());
        refused().forEach((word, times) -> line(text, word, times));
        line(text, "unknown", unknown());
        line(text, "errors", errors());
        tally.words().forEach((word, times) -> {
            if (!word.equals("accepted") && !word.equals("outcome-unknown")
                    && !REFUSALS.contains(word)) {
                line(text, "  " + word, times);
            }
        });
        tally.failures().forEach((reason, times) -> line(text, "  " + reason, times));
        text.append(String.format(Locale.ROOT, "%-20s %,.0f a second for %.2f s%n", "answers",
                (tally.count() - tally.unanswered()) / seconds, seconds));
        text.append(String.format(Locale.ROOT,
                "%-20s p50 %.2f  p99 %.2f  p99.9 %.2f  slowest %.2f ms%n", "latency",
                tally.latencyMs(50), tally.latencyMs(99), tally.latencyMs(99.9),
                tally.latencyMaxMs()));
        text.append(String.format(Locale.ROOT, "%-20s %.2f s without a decision%n",
                "longest gap", tally.gapMs() / 1e3));
        text.append(String.format(Locale.ROOT, "%-20s %s: %,d of %,d taken%s, books: %s%n",
                "the books", addsUp() ? "add up" : "DO NOT ADD UP (" + books.problem() + ")",
                books.taken(), plan.units(),
                plan.kind() == RushPlan.Kind.GRAB ? " with " + books.takenMoney() + " in them" : "",
                books.verdict()));
        return text.toString();
    }

    private static void line(StringBuilder text, String name, long times) {
        text.append(String.format(Locale.ROOT, "%-20s %,d%n", name, times));
    }
}
