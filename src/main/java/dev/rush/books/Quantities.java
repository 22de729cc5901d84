package dev.rush.books;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lines of an order, {@code sku:quantity,…}, as numbers. */
final class Quantities {

    private static final Pattern LINE = Pattern.compile("([A-Za-z0-9._-]{1,64}):([0-9]{1,10})");

    private Quantities() {
    }

    /** Units by sku; what is no line counts for nothing. */
    static Map<String, Long> of(String lines) {
        Map<String, Long> quantities = new LinkedHashMap<>();
        Matcher line = LINE.matcher(lines == null ? "" : lines);
        while (line.find()) {
            quantities.merge(line.group(1), Long.parseLong(line.group(2)), Long::sum);
        }
        return quantities;
    }
}
