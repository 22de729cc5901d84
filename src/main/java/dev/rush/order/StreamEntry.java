package dev.rush.order;

import dev.rush.http.Texts;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;

/** An entry of a partition's stream, as the writer understands it. */
sealed interface StreamEntry {

    /** The id in the stream. */
    String id();

    /** The whole entry; empty when it was deleted from the stream before it was read. */
    Map<String, String> fields();

    /** An accepted purchase. Quantities are by sku. */
    record Purchase(String id, Map<String, String> fields, UUID order, String sale, String user,
            String key, String digest, String lines, String lefts, Map<String, Long> quantities,
            long placedAt, long payBy, long seq) implements StreamEntry {
    }

    /** A grab. */
    record Grab(String id, Map<String, String> fields, UUID grab, String rain, String user,
            String key, long number, long nth, long amount, long at, long seq)
            implements StreamEntry {
    }

    /** What no script of ours wrote. */
    record Malformed(String id, Map<String, String> fields, String reason) implements StreamEntry {
    }

    /** An entry from what the stream holds. Never fails. */
    static StreamEntry of(String id, Map<String, String> fields) {
        try {
            return switch (String.valueOf(fields.get("kind"))) {
                case "purchase" -> purchase(id, fields);
                case "grab" -> grab(id, fields);
                default -> new Malformed(id, fields, "unknown kind");
            };
        } catch (IllegalArgumentException e) {
            return new Malformed(id, fields, e.getMessage());
        }
    }

    private static Purchase purchase(String id, Map<String, String> fields) {
        Shape shape = new Shape(fields);
        String lines = shape.text("lines", Shape.LINES);
        return new Purchase(id, fields, shape.uuid("order"), shape.id("sale"),
                shape.visible("user"), shape.visible("key"), shape.visible("digest"), lines,
                shape.text("lefts", Shape.LEFTS), quantities(lines), shape.number("at"),
                shape.number("pay_by"), shape.number("seq"));
    }

    private static Grab grab(String id, Map<String, String> fields) {
        Shape shape = new Shape(fields);
        return new Grab(id, fields, shape.uuid("grab"), shape.id("rain"), shape.visible("user"),
                shape.visible("key"), shape.number("number"), shape.number("nth"),
                shape.number("amount"), shape.number("at"), shape.number("seq"));
    }

    /** Units by sku, of lines of the shape that Redis and the ledger keep. */
    static Map<String, Long> quantities(String lines) {
        Map<String, Long> quantities = new HashMap<>();
        int from = 0;
        while (from < lines.length()) {
            int comma = lines.indexOf(',', from);
            int end = comma < 0 ? lines.length() : comma;
            int colon = lines.lastIndexOf(':', end);
            long quantity = Long.parseLong(lines, colon + 1, end, 10);
            if (quantity == 0) {
                throw new IllegalArgumentException("lines name no units");
            }
            quantities.merge(lines.substring(from, colon), quantity, Long::sum);
            from = end + 1;
        }
        return quantities;
    }

    /** Reads fields that must have a shape. */
    record Shape(Map<String, String> fields) {

        static final Pattern LINES = Pattern.compile(
                "[A-Za-z0-9._-]{1,64}:[0-9]{1,10}(?:,[A-Za-z0-9._-]{1,64}:[0-9]{1,10}){0,99}");
        static final Pattern LEFTS = Pattern.compile("[0-9,]{0,1200}");
        private static final int DIGITS_MAX = 16;

        String text(String field, Pattern pattern) {
            String value = fields.get(field);
            require(value != null && pattern.matcher(value).matches(), field);
            return value;
        }

        String id(String field) {
            String value = fields.get(field);
            require(Texts.isId(value), field);
            return value;
        }

        String visible(String field) {
            String value = fields.get(field);
            require(Texts.isVisible(value), field);
            return value;
        }

        UUID uuid(String field) {
            String value = fields.get(field);
            require(value != null && value.length() == 36, field);
            return UUID.fromString(value);
        }

        long number(String field) {
            String value = fields.get(field);
            require(value != null && !value.isEmpty() && value.length() <= DIGITS_MAX
                    && value.chars().allMatch(c -> c >= '0' && c <= '9'), field);
            return Long.parseLong(value);
        }

        private static void require(boolean holds, String field) {
            if (!holds) {
                throw new IllegalArgumentException("bad field " + field);
            }
        }
    }
}
