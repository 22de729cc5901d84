package dev.rush.ledger;

import java.util.LinkedHashMap;
import java.util.Map;

/** The lines of an order, spelled {@code sku:quantity,…} in Redis and in the ledger. */
public final class Lines {

    private Lines() {
    }

    /**
     * Units by sku, each at least 1, in the order of the lines.
     *
     * @throws IllegalArgumentException if the text is malformed; the message does not repeat it
     */
    public static Map<String, Long> quantities(String lines) {
        Map<String, Long> quantities = new LinkedHashMap<>();
        int from = 0;
        int end;
        do {
            int comma = lines.indexOf(',', from);
            end = comma < 0 ? lines.length() : comma;
            int colon = lines.lastIndexOf(':', end);
            if (colon <= from) {
                throw new IllegalArgumentException("lines name no item");
            }
            quantities.merge(lines.substring(from, colon), quantity(lines, colon + 1, end),
                    Math::addExact);
            from = end + 1;
        } while (end < lines.length());
        return quantities;
    }

    private static long quantity(String lines, int from, int end) {
        try {
            long quantity = Long.parseLong(lines, from, end, 10);
            if (quantity > 0) {
                return quantity;
            }
        } catch (NumberFormatException e) {
            // Its message would repeat the text.
        }
        throw new IllegalArgumentException("lines name no units");
    }

    /** The lines of these units by sku, in this order. */
    public static String text(Map<String, Long> quantities) {
        StringBuilder text = new StringBuilder();
        quantities.forEach((sku, quantity) ->
                text.append(text.isEmpty() ? "" : ",").append(sku).append(':').append(quantity));
        return text.toString();
    }
}
