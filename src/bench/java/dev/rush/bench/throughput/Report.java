package dev.rush.bench.throughput;

import dev.rush.bench.BarChart;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The medians as a table and a chart, with the target ratios. */
final class Report {
    private static final String RUSH = "Rush";
    private static final String WEBDIS = "webdis";
    private static final String BARE = "bare Quarkus";
    private static final String OWN = "#1f5fa8";
    private static final String PEER = "#b9b9b9";

    private final int connections;
    private final int seconds;
    private final int rounds;
    private final boolean pinned;
    private final Map<Case, Measured> medians;

    Report(int connections, int seconds, int rounds, boolean pinned,
            Map<Case, Measured> medians) {
        this.connections = connections;
        this.seconds = seconds;
        this.rounds = rounds;
        this.pinned = pinned;
        this.medians = medians;
    }

    String text() {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT,
                "%d connections, medians of %d interleaved rounds of %d s, %s%n%n", connections,
                rounds, seconds, pinned ? "services on one CPU, Redis and driver on another"
                        : "nothing pinned"));
        text.append("""
                | | service | req/s | ÷ no-op | service CPU µs | Redis CPU µs | p50 ms | p99 ms |
                |---|---|--:|--:|--:|--:|--:|--:|
                """);
        double noOp = figure(RUSH, "no-op", Measured::perSecond);
        medians.forEach((each, m) -> text.append(String.format(Locale.ROOT,
                "| %s | %s | %,.0f | %.2f | %.1f | %.1f | %.2f | %.2f |%s%n", each.name(),
                each.service().name(), m.perSecond(), m.perSecond() / noOp, m.serviceMicros(),
                m.redisMicros(), m.p50Ms(), m.p99Ms(),
                m.fault() == null ? "" : " WRONG: " + m.fault())));
        text.append("\n| ratio | measured | target | |\n|---|--:|--:|---|\n");
        ratios(text, noOp);
        return text.toString();
    }

    /** Returns a chart of the requests per second of each case. */
    String svg() {
        BarChart chart = new BarChart(String.format(Locale.ROOT,
                "Requests a second over %d connections", connections));
        medians.forEach((each, m) -> {
            boolean own = each.service().name().equals(RUSH);
            chart.row(each.name() + ", " + each.service().name(), List.of(new BarChart.Bar(
                    m.perSecond(), own ? OWN : PEER, m.fault() == null ? "" : m.fault())));
        });
        chart.explain(OWN, RUSH);
        chart.explain(PEER, "peers");
        return chart.svg();
    }

    private void ratios(StringBuilder text, double noOp) {
        double purchase = figure(RUSH, "purchase", Measured::perSecond);
        atLeast(text, "purchase ÷ no-op", purchase / noOp, 0.85);
        atLeast(text, "purchase ÷ webdis", purchase / figure(WEBDIS, "purchase",
                Measured::perSecond), connections > 128 ? 1.3 : 1.4);
        atLeast(text, "purchase ÷ Spring WebFlux, Lettuce", purchase
                / figure("Spring WebFlux, Lettuce", "purchase", Measured::perSecond), 4);
        atMost(text, "Redis CPU per purchase ÷ one EVALSHA per request",
                figure(RUSH, "purchase", Measured::redisMicros)
                        / figure(WEBDIS, "purchase", Measured::redisMicros), 0.40);
        atLeast(text, "sold-out without a key ÷ no-op",
                figure(RUSH, "sold-out, no key", Measured::perSecond) / noOp, 0.95);
        atLeast(text, "GET of a sale ÷ no-op",
                figure(RUSH, "GET of a sale", Measured::perSecond) / noOp, 0.95);
        atLeast(text, "sold-out with a key ÷ no-op",
                figure(RUSH, "sold-out with a key", Measured::perSecond) / noOp, 0.80);
        atMost(text, "p99 of a purchase ÷ webdis", figure(RUSH, "purchase", Measured::p99Ms)
                / figure(WEBDIS, "purchase", Measured::p99Ms), 0.5);
        atLeast(text, "purchase that waits for replicas ÷ one that does not",
                figure(RUSH, Case.REPLICATED, Measured::perSecond) / purchase, 0.80);
        atLeast(text, "purchase that waits for PostgreSQL ÷ one that does not",
                figure(RUSH, Case.STORED, Measured::perSecond) / purchase, 0.50);
        minimalPeerRatios(text, purchase);
    }

    /** Adds ratios to peers that do far less: JSON only, or little more than a stock. */
    private void minimalPeerRatios(StringBuilder text, double purchase) {
        double bare = figure(BARE, "no-op", Measured::perSecond);
        atLeast(text, "purchase ÷ bare no-op", purchase / bare, 0.60);
        atLeast(text, "sold-out without a key ÷ bare no-op",
                figure(RUSH, "sold-out, no key", Measured::perSecond) / bare, 0.95);
        atLeast(text, "GET of a sale ÷ bare GET",
                figure(RUSH, "GET of a sale", Measured::perSecond)
                        / figure(BARE, "GET", Measured::perSecond), 0.95);
        atLeast(text, "purchase ÷ webdis with the minimal script", purchase
                / figure(WEBDIS, Case.MINIMAL_PURCHASE, Measured::perSecond), 1.3);
        atMost(text, "p99 at 70 % of webdis's rate ÷ webdis with the minimal script",
                figure(RUSH, "purchase" + Case.PACED, Measured::p99Ms)
                        / figure(WEBDIS, Case.MINIMAL_PURCHASE + Case.PACED, Measured::p99Ms), 1);
    }

    private static void atLeast(StringBuilder text, String name, double ratio, double goal) {
        row(text, name, ratio, "≥ ", goal, ratio >= goal);
    }

    private static void atMost(StringBuilder text, String name, double ratio, double goal) {
        row(text, name, ratio, "≤ ", goal, ratio <= goal);
    }

    private static void row(StringBuilder text, String name, double ratio, String sign,
            double goal, boolean isMet) {
        // A missing peer makes the ratio NaN.
        if (Double.isFinite(ratio)) {
            text.append(String.format(Locale.ROOT, "| %s | %.2f | %s%.2f | %s |%n", name, ratio,
                    sign, goal, isMet ? "met" : "missed"));
        }
    }

    private double figure(String service, String name, ToDoubleFunction<Measured> figure) {
        return medians.entrySet().stream()
                .filter(e -> e.getKey().service().name().equals(service)
                        && e.getKey().name().equals(name))
                .mapToDouble(e -> figure.applyAsDouble(e.getValue())).findFirst()
                .orElse(Double.NaN);
    }
}
