package dev.rush.order;

import dev.rush.http.Texts;
import dev.rush.redis.Reply;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;

/** An entry of a partition's stream, as the writer understands it. */
sealed interface StreamEntry {

    /** The state of an order that nobody has given back. */
    String ACCEPTED = "a";

    /** The id in the stream. */
    String id();

    /** The whole entry, as an operator sees it among the dead letters. */
    Map<String, String> fields();

    /** An accepted purchase. Quantities are by sku. */
    record Purchase(String id, String entry, UUID order, String sale, String user, String key,
            String digest, String lines, String lefts, Map<String, Long> quantities,
            long placedAt, long payBy, long seq) implements StreamEntry {

        @Override
        public Map<String, String> fields() {
            return EntryWords.named(Map.of(EntryWords.PURCHASE, entry));
        }
    }

    /** A grab. */
    record Grab(String id, String entry, UUID grab, String rain, String user, String key,
            long number, long nth, long amount, long at, long seq) implements StreamEntry {

        @Override
        public Map<String, String> fields() {
            return EntryWords.named(Map.of(EntryWords.GRAB, entry));
        }
    }

    /** What no script of ours wrote. */
    record Malformed(String id, Map<String, String> fields, String reason) implements StreamEntry {
    }

    /**
     * An entry from what the stream holds, fields and values in turn. Never fails.
     *
     * @param before the entry before it, or null: most are of one sale and have the same lines,
     *               which are then understood once
     */
    static StreamEntry of(String id, Reply content, StreamEntry before) {
        String kind = content.at(0).text();
        try {
            if (content.size() == 2 && kind.equals(EntryWords.PURCHASE)) {
                return purchase(id, content.at(1).text(),
                        before instanceof Purchase purchase ? purchase : null);
            }
            if (content.size() == 2 && kind.equals(EntryWords.GRAB)) {
                return grab(id, content.at(1).text());
            }
            return new Malformed(id, content.pairs(), "unknown kind");
        } catch (IllegalArgumentException e) {
            return new Malformed(id, EntryWords.named(content.pairs()), e.getMessage());
        }
    }

    private static Purchase purchase(String id, String entry, Purchase before) {
        EntryWords words = EntryWords.of(EntryWords.PURCHASE, entry);
        Shape shape = new Shape(words);
        if (!words.word("state").equals(ACCEPTED)) {
            throw new IllegalArgumentException("not the state of a new order");
        }
        boolean sameSale = before != null && before.sale.equals(words.word("sale"));
        boolean sameLines = before != null && before.lines.equals(words.word("lines"));
        String lines = sameLines ? before.lines : shape.text("lines", Shape.LINES);
        return new Purchase(id, entry, shape.uuid("order"),
                sameSale ? before.sale : shape.id("sale"), shape.visible("user"),
                shape.visible("key"), shape.visible("digest"), lines,
                shape.text("lefts", Shape.LEFTS),
                sameLines ? before.quantities : quantities(lines), shape.number("at"),
                shape.number("pay_by"), shape.number("seq"));
    }

    private static Grab grab(String id, String entry) {
        Shape shape = new Shape(EntryWords.of(EntryWords.GRAB, entry));
        return new Grab(id, entry, shape.uuid("grab"), shape.id("rain"), shape.visible("user"),
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

    /** Reads words that must have a shape. */
    record Shape(EntryWords words) {

        static final Pattern LINES = Pattern.compile(
                "[A-Za-z0-9._-]{1,64}:[0-9]{1,10}(?:,[A-Za-z0-9._-]{1,64}:[0-9]{1,10}){0,99}");
        static final Pattern LEFTS = Pattern.compile("[0-9,]{0,1200}");
        private static final int DIGITS_MAX = 16;

        String text(String name, Pattern pattern) {
            String value = words.word(name);
            require(pattern.matcher(value).matches(), name);
            return value;
        }

        String id(String name) {
            String value = words.word(name);
            require(Texts.isId(value), name);
            return value;
        }

        String visible(String name) {
            String value = words.word(name);
            require(Texts.isVisible(value), name);
            return value;
        }

        UUID uuid(String name) {
            String value = words.word(name);
            require(value.length() == 36, name);
            return UUID.fromString(value);
        }

        long number(String name) {
            String value = words.word(name);
            require(!value.isEmpty() && value.length() <= DIGITS_MAX, name);
            long number = 0;
            for (int i = 0; i < value.length(); i++) {
                int digit = value.charAt(i) - '0';
                require(digit >= 0 && digit <= 9, name);
                number = 10 * number + digit;
            }
            return number;
        }

        private static void require(boolean holds, String name) {
            if (!holds) {
                throw new IllegalArgumentException("bad field " + name);
            }
        }
    }
}
