package dev.rush.bench.comparison;

import java.util.List;
import java.util.Locale;

/** Writes docs/comparison.md. */
final class Document {
    private static final int COLUMNS = 100;
    private static final String HEAD = """
            # Ways of deducting stock, compared

            Published ways of selling a fixed stock from Redis, and Rush's own, tested with the \
            same rush against real Redis processes. Measured with

                ./mvnw -Pcomparison%s

            on a machine with %d cores (%s %s), Redis %s with an append-only file synced every \
            second, Java %s. %s Absolute figures are not comparable with other machines, and \
            single runs on a busy machine vary; compare the order of the ways and the counts of \
            damage.

            ![Attempts a second by way](comparison.svg)

            ## What is run

            """;
    private static final String METHOD = """

            **The rush.** N different users make one attempt each for one unit. The stock is N/2, \
            so the first half meets contention and the second half a sold-out item. 100 or 1,000 \
            clients have a connection each and make one attempt after the other, over loopback; a \
            single thread runs all clients, in the same way for each row. Clients do not pipeline, \
            except that `MULTI` to `EXEC` are sent together, as the usual client libraries do. The \
            batched rows have the same number of waiting clients, but they share two connections.

            **What is counted.** All damage is counted from the data that the run left in Redis, \
            and the clients' own counts must agree with it.

            - *failed*: attempts that ended without a unit while there was stock: by a conflict, \
            or because the lock could not be acquired within a second.
            - *unsold*: units in stock at the end, although buyers were refused.
            - *oversold*: orders beyond the stock.
            - *lost*: units deducted for which no order was ever queued. No order has them, and \
            they cannot be bought.
            - *round trips*: messages per purchase.
            - *CPU*: of the busiest Redis, per attempt.

            `WATCH` is often quoted as losing about 30 %% of its attempts. The loss depends on how \
            many clients try at once; here all of them do, without a pause.

            Times are medians of %d run%s, damage is the maximum. Ways that keep only a counter do \
            less than the set-and-queue script (one unit per user) and far less than Rush's \
            (window, pause, limit per user, carts, idempotency, the order in the stream).

            """;
    private static final String FAULTS = """
            ## With dying and stalling clients

            The same on one Redis, but of every thousand clients five die right after sending a \
            message, and five stall for %d ms before one, like a process that is killed or paused \
            by its garbage collector. The lock expires after %d ms here. A way with one message \
            per purchase cannot be interrupted halfway.

            """;

    private final boolean full;
    private final String version;
    private final String load;
    private final List<Way> ways;
    private final List<Result> results;

    Document(boolean full, String version, String load, List<Way> ways, List<Result> results) {
        this.full = full;
        this.version = version;
        this.load = load;
        this.ways = ways;
        this.results = results;
    }

    /** Returns the whole document. */
    String text() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(Locale.ROOT, HEAD, full ? " -Dcomparison.full=true" : "",
                Runtime.getRuntime().availableProcessors(), System.getProperty("os.name"),
                System.getProperty("os.arch"), version, Runtime.version().feature(),
                load));
        ways.forEach(way -> text.append("- **").append(way.name()).append("**: ")
                .append(way.about().strip()).append('\n'));
        text.append(String.format(Locale.ROOT, METHOD, full ? 3 : 1, full ? "s" : ""));
        return wrapped(text.toString()) + tables();
    }

    /** Wraps prose at {@link #COLUMNS}; indented code stays as it is. */
    private static String wrapped(String text) {
        StringBuilder lines = new StringBuilder();
        for (String paragraph : text.split("\n", -1)) {
            String indent = paragraph.startsWith("- ") ? "  " : "";
            int column = 0;
            for (String word : paragraph.startsWith("    ")
                    ? new String[] {paragraph} : paragraph.split(" ")) {
                if (column > 0 && column + 1 + word.length() > COLUMNS) {
                    lines.append('\n').append(indent);
                    column = indent.length();
                } else if (column > 0) {
                    lines.append(' ');
                    column++;
                }
                lines.append(word);
                column += word.length();
            }
            lines.append('\n');
        }
        return lines.substring(0, lines.length() - 1);
    }

    /** Returns the tables only. */
    String tables() {
        StringBuilder text = new StringBuilder();
        results.stream().filter(result -> result.setup().faults() == 0)
                .map(result -> List.of(result.servers(), result.setup())).distinct()
                .forEach(key -> table(text, (String) key.get(0), (Setup) key.get(1)));
        text.append(wrapped(String.format(Locale.ROOT, FAULTS,
                Trial.Fault.STALL_NANOS / 1_000_000, LockWay.EXPIRY.toMillis())));
        rows(text, results.stream().filter(result -> result.setup().faults() > 0).toList());
        return text.toString();
    }

    private void table(StringBuilder text, String servers, Setup setup) {
        text.append(String.format(Locale.ROOT, "## %,d attempts, %,d clients, %s%n%n",
                setup.attempts(), setup.clients(), servers));
        rows(text, results.stream().filter(result -> result.setup().equals(setup)
                && result.servers().equals(servers)).toList());
        text.append('\n');
    }

    private static void rows(StringBuilder text, List<Result> rows) {
        text.append("""
                | way | attempts/s | p50 ms | p99 ms | failed | unsold | oversold | lost \
                | round trips | CPU µs |
                |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|
                """);
        for (Result row : rows) {
            text.append(String.format(Locale.ROOT,
                    "| %s | %,.0f | %.2f | %.2f | %s | %s | %s | %s | %.2f | %.1f |%n", row.way(),
                    row.perSecond(), row.p50Ms(), row.p99Ms(), damage(row.failed()),
                    damage(row.unsold()), damage(row.oversold()), damage(row.lost()),
                    row.roundTrips(), row.cpuMicros()));
        }
    }

    private static String damage(long count) {
        return count == 0 ? "0" : String.format(Locale.ROOT, "**%,d**", count);
    }
}
