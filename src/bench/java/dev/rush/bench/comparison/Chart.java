package dev.rush.bench.comparison;

import dev.rush.bench.BarChart;
import java.util.List;
import java.util.Locale;

/** Draws docs/comparison.svg: attempts per second of each way, and its damage. */
final class Chart {
    private static final String ONE = "#1f5fa8";
    private static final String CLUSTER = "#9dbfe3";

    private Chart() {
    }

    /** Draws the results of the first setup. */
    static String svg(List<Way> ways, List<Result> results) {
        Setup setup = results.get(0).setup();
        BarChart chart = new BarChart(String.format(Locale.ROOT,
                "Attempts a second: %,d attempts for %,d units, %,d clients", setup.attempts(),
                setup.stock(), setup.clients()));
        chart.explain(ONE, "one Redis");
        chart.explain(CLUSTER, "cluster of three masters");
        for (Way way : ways) {
            chart.row(way.name(), results.stream()
                    .filter(r -> r.setup().equals(setup) && r.way().equals(way.name()))
                    .map(r -> new BarChart.Bar(r.perSecond(),
                            r.servers().equals("one Redis") ? ONE : CLUSTER, damage(r)))
                    .toList());
        }
        return chart.svg();
    }

    private static String damage(Result result) {
        StringBuilder damage = new StringBuilder();
        add(damage, result.failed(), "failed");
        add(damage, result.oversold(), "oversold");
        add(damage, result.lost(), "lost");
        return damage.toString();
    }

    private static void add(StringBuilder damage, long count, String what) {
        if (count > 0) {
            damage.append(String.format(Locale.ROOT, "%s%,d %s",
                    damage.isEmpty() ? "" : ", ", count, what));
        }
    }
}
