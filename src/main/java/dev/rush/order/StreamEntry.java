package dev.rush.order;

import dev.rush.http.Texts;
import dev.rush.redis.Reply;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;

/** An order or a grab in a partition's stream, as the writer understands it. */
sealed interface StreamEntry {

    /** The id of the entry in the stream. */
    String id();

    /** The order or grab as an operator sees it among the dead letters. */
    Map<String, String> fields();

    /**
     * An accepted purchase. Quantities are by sku; where the client sent no key, the order is its
     * key.
     */
    record Purchase(String id, UUID order, String sale, String user, String key, String digest,
            String lines, String lefts, Map<String, Long> quantities, long placedAt, long payBy,
            long seq) implements StreamEntry {

        @Override
        public Map<String, String> fields() {
            return EntryWords.PURCHASE.named(List.of(sale, Long.toString(placedAt),
                    Long.toString(payBy), "", Long.toString(seq), user, order.toString(), key,
                    digest, lines, lefts));
        }
    }

    /** A grab. Where the client sent no key, the grab is its key. */
    record Grab(String id, UUID grab, String rain, String user, String key, long number, long nth,
            long amount, long at, long seq) implements StreamEntry {

        @Override
        public Map<String, String> fields() {
            return EntryWords.GRAB.named(List.of(rain, Long.toString(at), Long.toString(number),
                    "", Long.toString(seq), user, grab.toString(), key, Long.toString(nth),
                    Long.toString(amount)));
        }
    }

    /** What no script of ours wrote. */
    record Malformed(String id, Map<String, String> fields, String reason) implements StreamEntry {
    }

    /**
     * Adds the orders or grabs of an entry, fields and values in turn. Never fails: what is spelled
     * otherwise is malformed, one order of a call without its neighbours.
     */
    static void add(List<StreamEntry> found, String id, Reply content) {
        EntryWords kind = EntryWords.find(content.at(0).text());
        if (content.size() != 2 || kind == null) {
            found.add(new Malformed(id, content.pairs(), "unknown kind"));
            return;
        }
        List<String> words = EntryWords.of(content.at(1).text());
        int orders = kind.orders(words);
        if (orders == 0) {
            found.add(new Malformed(id, content.pairs(), "not as many words"));
        }
        for (int place = 0; place < orders; place++) {
            Shape shape = new Shape(kind, kind.order(words, place));
            try {
                found.add(kind == EntryWords.GRAB ? grab(id, shape, place) : purchase(id, shape,
                        place, found.isEmpty() ? null : found.get(found.size() - 1)));
            } catch (IllegalArgumentException e) {
                found.add(new Malformed(id, kind.named(shape.words), e.getMessage()));
            }
        }
    }

    /** Most orders are of one sale and have the same lines as the one before. */
    private static StreamEntry purchase(String id, Shape shape, int place, StreamEntry last) {
        Purchase before = last instanceof Purchase purchase ? purchase : null;
        String text = shape.word("lines");
        boolean sameLines = before != null && before.lines.equals(text);
        String lines = sameLines ? before.lines : shape.text("lines", Shape.LINES);
        UUID order = shape.uuid("order");
        return new Purchase(id, order, shape.id("sale"), shape.visible("user"), shape.key(order),
                shape.visible("digest"), lines, shape.text("lefts", Shape.LEFTS),
                sameLines ? before.quantities : quantities(lines), shape.number("at"),
                shape.number("pay_by"), shape.sequence(place));
    }

    private static StreamEntry grab(String id, Shape shape, int place) {
        UUID grab = shape.uuid("grab");
        return new Grab(id, grab, shape.id("rain"), shape.visible("user"), shape.key(grab),
                shape.number("number") + place, shape.number("nth"), shape.number("amount"),
                shape.number("at"), shape.sequence(place));
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

    /** Reads words of one order that must have a shape, by their names. */
    record Shape(EntryWords kind, List<String> words) {

        static final Pattern LINES = Pattern.compile(
                "[A-Za-z0-9._-]{1,64}:[0-9]{1,10}(?:,[A-Za-z0-9._-]{1,64}:[0-9]{1,10}){0,99}");
        static final Pattern LEFTS = Pattern.compile("[0-9,]{0,1200}");
        private static final int DIGITS_MAX = 16;

        String word(String name) {
            return words.get(kind.names().indexOf(name));
        }

        String text(String name, Pattern pattern) {
            String value = word(name);
            require(pattern.matcher(value).matches(), name);
            return value;
        }

        String id(String name) {
            String value = word(name);
            require(Texts.isId(value), name);
            return value;
        }

        String visible(String name) {
            String value = word(name);
            require(Texts.isVisible(value), name);
            return value;
        }

        /** The client's key, or this id where it sent none. */
        String key(UUID id) {
            return word("key").isEmpty() ? id.toString() : visible("key");
        }

        /** The sequence number of the order at a place of its call; 0 where it is not known. */
        long sequence(int place) {
            number("head");
            long first = number("seq");
            return first == 0 ? 0 : first + place;
        }

        UUID uuid(String name) {
            String value = word(name);
            UUID uuid = parsed(value);
            // Other spellings would be other orders to whoever compares texts.
            require(uuid != null && uuid.toString().equals(value), name);
            return uuid;
        }

        private static UUID parsed(String value) {
            try {
                return UUID.fromString(value);
            } catch (IllegalArgumentException e) {
                return null; // Its message would repeat the text.
            }
        }

        long number(String name) {
            String value = word(name);
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
