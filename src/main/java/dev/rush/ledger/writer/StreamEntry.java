package dev.rush.ledger.writer;

import dev.rush.http.Texts;
import dev.rush.ledger.Lines;
import dev.rush.redis.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** An order or a grab in a partition's stream, parsed for the writer. */
public sealed interface StreamEntry {

    /** The id of the entry in the stream. */
    String id();

    /** Its number in the partition; 0 if unknown. */
    long seq();

    /** The id of the order or grab; empty if there is none. */
    String name();

    /** All fields by name, as shown to operators in dead letters. */
    Map<String, String> fields();

    /**
     * An accepted purchase. Its payment deadline is not read, because the ledger has the sale's
     * payment window.
     *
     * @param key        the client's key; null if it sent none
     * @param quantities units by sku
     * @param payBy      from the entry, shown only to operators
     */
    record Purchase(String id, UUID order, String sale, String user, @Nullable String key,
            String digest, String lines, String lefts, Map<String, Long> quantities, long placedAt,
            long payBy, long seq) implements StreamEntry {

        private static final Pattern UUID_7 = Pattern.compile(
                "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");

        @Override
        public String name() {
            return order.toString();
        }

        /** The client's key, or the order's id: the key under which a purchase is repeated. */
        String keyOrId() {
            return key == null ? order.toString() : key;
        }

        /** Whether the key may be the id of an order without a key. */
        boolean mayRepeatAnId() {
            return mayBeId(key);
        }

        @Override
        public Map<String, String> fields() {
            return EntryWords.PURCHASE.named(List.of(sale, Long.toString(placedAt),
                    Long.toString(payBy), "", Long.toString(seq), user, order.toString(),
                    spelled(key), digest, lines, lefts));
        }
    }

    /** Whether a key is a UUID of version 7, as ids are. */
    private static boolean mayBeId(@Nullable String key) {
        return key != null && Purchase.UUID_7.matcher(key).matches();
    }

    /** A grab; its key is null if the client sent none. */
    record Grab(String id, UUID grab, String rain, String user, @Nullable String key,
            long number, long nth, long amount, long at, long seq) implements StreamEntry {

        /** The client's key, or the grab's id: the key under which a grab is repeated. */
        String keyOrId() {
            return key == null ? grab.toString() : key;
        }

        /** Whether the key may be the id of a grab without a key. */
        boolean mayRepeatAnId() {
            return mayBeId(key);
        }

        @Override
        public String name() {
            return grab.toString();
        }

        @Override
        public Map<String, String> fields() {
            return EntryWords.GRAB.named(List.of(rain, Long.toString(at), Long.toString(number),
                    "", Long.toString(seq), user, grab.toString(), spelled(key),
                    Long.toString(nth), Long.toString(amount)));
        }
    }

    /** An entry that was not written by a script of Rush. */
    record Malformed(String id, Map<String, String> fields, String reason) implements StreamEntry {

        @Override
        public long seq() {
            return 0;
        }

        @Override
        public String name() {
            return "";
        }
    }

    private static String spelled(@Nullable String key) {
        return key == null ? "" : key;
    }

    /**
     * Adds the orders or grabs of an entry, fields and values in turn. Never fails: what cannot be
     * parsed becomes malformed, each order of a call separately.
     */
    static void add(List<StreamEntry> found, String id, Reply content) {
        EntryWords kind = EntryWords.find(content.at(0).text());
        if (content.size() != 2 || kind == null) {
            found.add(new Malformed(id, content.pairs(), "unknown kind of entry"));
            return;
        }
        List<String> words = EntryWords.of(content.at(1).word());
        int orders = kind.orders(words);
        if (orders == 0) {
            found.add(new Malformed(id, content.pairs(), "wrong number of words"));
        }
        StreamEntry last = null;
        for (int place = 0; place < orders; place++) {
            last = one(id, new Shape(kind, kind.order(words, place)), place, last);
            found.add(last);
        }
    }

    /** The inverse of {@link #fields}. */
    static StreamEntry of(String id, Map<String, String> fields) {
        EntryWords kind = EntryWords.find(String.valueOf(fields.get(EntryWords.KIND)));
        List<String> words = new ArrayList<>();
        if (kind != null) {
            kind.names().forEach(name -> words.add(
                    fields.getOrDefault(name, name.equals(EntryWords.HEAD) ? "0" : "")));
        }
        if (kind == null) {
            return new Malformed(id, fields, "unknown kind of entry");
        }
        StreamEntry entry = one(id, new Shape(kind, words), 0, null);
        return entry instanceof Malformed malformed
                ? new Malformed(id, fields, malformed.reason()) : entry;
    }

    private static StreamEntry one(String id, Shape shape, int place, @Nullable StreamEntry last) {
        try {
            return shape.kind == EntryWords.GRAB ? grab(id, shape, place)
                    : purchase(id, shape, place, last);
        } catch (IllegalArgumentException e) {
            return new Malformed(id, shape.kind.named(shape.words),
                    String.valueOf(e.getMessage()));
        }
    }

    /** Most orders have the same sale and lines as the one before. */
    private static Purchase purchase(
            String id, Shape shape, int place, @Nullable StreamEntry last) {
        Purchase same = last instanceof Purchase before && before.lines.equals(shape.word("lines"))
                ? before : null;
        String lines = same != null ? same.lines : shape.text("lines", Shape.LINES);
        return new Purchase(id, shape.uuid("order"), shape.id("sale"), shape.visible("user"),
                shape.key(), shape.visible("digest"), lines, shape.text("lefts", Shape.LEFTS),
                same != null ? same.quantities : Lines.quantities(lines), shape.number("at"),
                shape.number("pay_by"), shape.sequence(place));
    }

    private static Grab grab(String id, Shape shape, int place) {
        return new Grab(id, shape.uuid("grab"), shape.id("rain"), shape.visible("user"),
                shape.key(), shape.number("number") + place, shape.number("nth"),
                shape.number("amount"), shape.number("at"), shape.sequence(place));
    }

    /** Parses the words of one order, by name. */
    record Shape(EntryWords kind, List<String> words) {

        static final Pattern LINES = Pattern.compile(
                "[A-Za-z0-9._-]{1,64}:[0-9]{1,10}(?:,[A-Za-z0-9._-]{1,64}:[0-9]{1,10}){0,19}");
        /** One number per line, possibly missing; 16 digits always fit into a long. */
        static final Pattern LEFTS = Pattern.compile("[0-9]{0,16}(?:,[0-9]{0,16}){0,19}");
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

        @Nullable String key() {
            return word("key").isEmpty() ? null : visible("key");
        }

        /** The sequence number of the order at an index of its call; 0 if unknown. */
        long sequence(int place) {
            number("head");
            long first = number("seq");
            return first == 0 ? 0 : first + place;
        }

        UUID uuid(String name) {
            String value = word(name);
            UUID uuid = parsed(value);
            // Other spellings would be different orders where texts are compared.
            if (uuid == null || !uuid.toString().equals(value)) {
                throw bad(name);
            }
            return uuid;
        }

        private static @Nullable UUID parsed(String value) {
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
                throw bad(name);
            }
        }

        private static IllegalArgumentException bad(String name) {
            return new IllegalArgumentException("invalid field " + name);
        }
    }
}
