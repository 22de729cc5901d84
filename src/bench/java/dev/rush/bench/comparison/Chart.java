package dev.rush.bench.comparison;

import java.util.List;
import java.util.Locale;

/** docs/comparison.svg: attempts a second by way, and what went wrong, drawn by hand. */
final class Chart {
    private static final int WIDTH = 900;
    private static final int NAME_WIDTH = 200;
    private static final int BAR_WIDTH = 440;
    private static final int ROW = 42;
    private static final int TOP = 64;
    private static final String ONE = "#1f5fa8";
    private static final String CLUSTER = "#9dbfe3";

    private Chart() {
    }

    /** Draws the results of the smallest rush. */
    static String svg(List<Way> ways, List<Result> results) {
        Setup setup = results.get(0).setup();
        List<Result> shown = results.stream().filter(r -> r.setup().equals(setup)).toList();
        double most = shown.stream().mapToDouble(Result::perSecond).max().orElse(1);
        int height = TOP + ROW * ways.size() + 16;
        StringBuilder svg = new StringBuilder(String.format(Locale.ROOT, """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" \
                height="%2$d" font-family="sans-serif" font-size="13">
                <rect width="%1$d" height="%2$d" fill="#ffffff"/>
                <text x="16" y="24" font-size="16" font-weight="bold">Attempts a second: %3$,d \
                attempts for %4$,d units, %5$,d clients</text>
                """, WIDTH, height, setup.attempts(), setup.stock(), setup.clients()));
        legend(svg, 16, ONE, "one Redis");
        legend(svg, 130, CLUSTER, "cluster of three masters");
        int y = TOP;
        for (Way way : ways) {
            svg.append(text(16, y + 20, "#000000", way.name()));
            for (Result result : shown) {
                if (result.way().equals(way.name())) {
                    boolean one = result.servers().equals("one Redis");
                    bar(svg, result, one ? y : y + 16, one ? ONE : CLUSTER, most);
                }
            }
            y += ROW;
        }
        return svg.append("</svg>\n").toString();
    }

    private static void legend(StringBuilder svg, int x, String colour, String name) {
        svg.append(String.format(Locale.ROOT,
                "<rect x=\"%d\" y=\"38\" width=\"12\" height=\"12\" fill=\"%s\"/>%n", x, colour));
        svg.append(text(x + 18, 49, "#000000", name));
    }

    private static void bar(
            StringBuilder svg, Result result, int y, String colour, double most) {
        int width = (int) Math.max(1, BAR_WIDTH * result.perSecond() / most);
        svg.append(String.format(Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"14\" fill=\"%s\"/>%n",
                NAME_WIDTH, y, width, colour));
        int x = NAME_WIDTH + width + 6;
        String figure = String.format(Locale.ROOT, "%,.0f", result.perSecond());
        svg.append(text(x, y + 12, "#000000", figure));
        svg.append(text(x + 8 * figure.length() + 6, y + 12, "#b00020", damage(result)));
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

    private static String text(int x, int y, String colour, String text) {
        return String.format(Locale.ROOT, "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>%n",
                x, y, colour, text.replace("&", "&amp;").replace("<", "&lt;"));
    }
}
