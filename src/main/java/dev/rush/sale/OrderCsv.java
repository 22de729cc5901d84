package dev.rush.sale;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Orders as CSV (RFC 4180). Spreadsheets evaluate cells that begin like a formula, and user names
 * come from clients, so such a cell gets a leading apostrophe.
 */
final class OrderCsv {

    static final String HEADER =
            "order,sale,user,status,items,placedAt,payBy,paymentReference\r\n";
    private static final String FORMULA = "=+-@\t\r\n";
    private static final String QUOTED = "\",;\r\n";

    private OrderCsv() {
    }

    /** The lines of some orders. */
    static String lines(List<OrderView> orders) {
        StringBuilder lines = new StringBuilder();
        orders.forEach(order -> lines.append(line(order)));
        return lines.toString();
    }

    private static String line(OrderView order) {
        String items = order.items().stream()
                .map(item -> item.sku() + ":" + item.quantity()).collect(Collectors.joining(" "));
        return Stream.of(order.order(), order.sale(), order.user(), order.status(), items,
                order.placedAt(), order.payBy(), order.paymentReference())
                .map(OrderCsv::cell).collect(Collectors.joining(",", "", "\r\n"));
    }

    /** A text as a cell; null becomes an empty cell. */
    static String cell(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return "";
        }
        String safe = FORMULA.indexOf(text.charAt(0)) < 0 ? text : "'" + text;
        return safe.chars().anyMatch(character -> QUOTED.indexOf(character) >= 0)
                ? '"' + safe.replace("\"", "\"\"") + '"' : safe;
    }
}
