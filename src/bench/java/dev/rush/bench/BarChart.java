package dev.rush.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A horizontal bar chart in SVG. Each row has a name and one or more bars. */
public final class BarChart {
    private static final int WIDTH = 900;
    private static final int NAME_WIDTH = 240;
    private static final int BAR_WIDTH = 400;
    private static final int BAR = 16;
    private static final int GAP = 10;
    private static final int TOP = 64;

    private final String title;
    private final Map<String, String> legend = new LinkedHashMap<>();
    private final List<Row> rows = new ArrayList<>();

    /**
     * One bar.
     *
     * @param colour an SVG colour
     * @param remark shown in red after the figure; may be empty
     */
    public record Bar(double value, String colour, String remark) {
    }

    private record Row(String name, List<Bar> bars) {
    }

    /** Creates a chart without rows. */
    public BarChart(String title) {
        this.title = title;
    }

    /** Adds a colour to the legend. */
    public void explain(String colour, String meaning) {
        legend.put(colour, meaning);
    }

    /** Adds a row at the bottom. */
    public void row(String name, List<Bar> bars) {
        rows.add(new Row(name, bars));
    }

    /** Returns the chart as an SVG document. */
    public String svg() {
        double max = rows.stream().flatMap(row -> row.bars.stream()).mapToDouble(Bar::value)
                .max().orElse(1);
        int height = TOP + rows.stream().mapToInt(BarChart::height).sum() + GAP;
        StringBuilder svg = new StringBuilder(String.format(Locale.ROOT, """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" \
                height="%2$d" font-family="sans-serif" font-size="13">
                <rect width="%1$d" height="%2$d" fill="#ffffff"/>
                <text x="16" y="24" font-size="16" font-weight="bold">%3$s</text>
                """, WIDTH, height, escaped(title)));
        int x = 16;
        for (Map.Entry<String, String> entry : legend.entrySet()) {
            rect(svg, x, 38, 12, 12, entry.getKey());
            svg.append(text(x + 18, 49, "#000000", entry.getValue()));
            x += 50 + 7 * entry.getValue().length();
        }
        int y = TOP;
        for (Row row : rows) {
            svg.append(text(16, y + 12 + BAR * (row.bars.size() - 1) / 2, "#000000", row.name));
            for (int i = 0; i < row.bars.size(); i++) {
                bar(svg, row.bars.get(i), y + BAR * i, max);
            }
            y += height(row);
        }
        return svg.append("</svg>\n").toString();
    }

    private static int height(Row row) {
        return BAR * row.bars.size() + GAP;
    }

    private static void bar(StringBuilder svg, Bar bar, int y, double max) {
        int width = (int) Math.max(1, BAR_WIDTH * bar.value / max);
        rect(svg, NAME_WIDTH, y, width, BAR - 2, bar.colour);
        int x = NAME_WIDTH + width + 6;
        String figure = String.format(Locale.ROOT, "%,.0f", bar.value);
        svg.append(text(x, y + 12, "#000000", figure));
        if (!bar.remark.isEmpty()) {
            svg.append(text(x + 8 * figure.length() + 6, y + 12, "#b00020", bar.remark));
        }
    }

    private static void rect(
            StringBuilder svg, int x, int y, int width, int height, String colour) {
        svg.append(String.format(Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>%n",
                x, y, width, height, colour));
    }

    private static String text(int x, int y, String colour, String text) {
        return String.format(Locale.ROOT, "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>%n",
                x, y, colour, escaped(text));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
