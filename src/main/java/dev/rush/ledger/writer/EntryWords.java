package dev.rush.ledger.writer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The format of orders and grabs in their partition's stream: one field, named after the kind,
 * whose value is words separated by single spaces. No word contains a space; a key that the client
 * did not send is an empty word. The orders of one call share the first words of their entry.
 */
enum EntryWords {

    /** Accepted purchases. */
    PURCHASE(List.of("sale", "at", "pay_by", "head", "seq"),
            List.of("user", "order", "key", "digest", "lines", "lefts")),
    /** Grabs. The number is that of the first; the others follow it. */
    GRAB(List.of("rain", "at", "number", "head", "seq"),
            List.of("user", "grab", "key", "nth", "amount"));

    static final String KIND = "kind";
    /** An entry's position in the stream, which is not part of an order. */
    static final String HEAD = "head";

    private final String field;
    private final List<String> shared;
    private final List<String> each;
    private final List<String> names;

    EntryWords(List<String> shared, List<String> each) {
        this.field = name().toLowerCase(Locale.ROOT);
        this.shared = shared;
        this.each = each;
        this.names = both(shared, each);
    }

    /** The kind whose entries have a field of this name, or null. */
    static @Nullable EntryWords find(@Nullable String field) {
        for (EntryWords kind : values()) {
            if (kind.field.equals(field)) {
                return kind;
            }
        }
        return null;
    }

    /** Whether entries with a field of this name are of this kind. */
    boolean isOf(String field) {
        return this.field.equals(field);
    }

    /** Names of all words of an entry of one order. */
    List<String> names() {
        return names;
    }

    /** The words of a text, including empty ones. */
    static List<String> of(String text) {
        List<String> words = new ArrayList<>();
        int from = 0;
        for (int blank = text.indexOf(' '); blank >= 0; blank = text.indexOf(' ', from)) {
            words.add(text.substring(from, blank));
            from = blank + 1;
        }
        words.add(text.substring(from));
        return words;
    }

    /** The number of orders in an entry of these words; 0 if the number of words does not fit. */
    int orders(List<String> words) {
        int own = words.size() - shared.size();
        return own % each.size() == 0 ? Math.max(0, own / each.size()) : 0;
    }

    /** The words of one order of an entry: the shared ones, then its own. */
    List<String> order(List<String> words, int place) {
        int from = shared.size() + place * each.size();
        return both(words.subList(0, shared.size()), words.subList(from, from + each.size()));
    }

    private static List<String> both(List<String> first, List<String> second) {
        List<String> both = new ArrayList<>(first.size() + second.size());
        both.addAll(first);
        both.addAll(second);
        return both;
    }

    /** The words of one order by name, as shown to operators. */
    Map<String, String> named(List<String> words) {
        Map<String, String> named = new LinkedHashMap<>();
        named.put(KIND, field);
        for (int i = 0; i < names.size(); i++) {
            if (!names.get(i).equals(HEAD)) {
                named.put(names.get(i), words.get(i));
            }
        }
        return named;
    }

    /**
     * Kind, words before the position in the stream, words after it; null if Rush did not write the
     * entry.
     */
    static @Nullable List<String> spelled(Map<String, String> named) {
        EntryWords kind = find(named.get(KIND));
        if (kind == null || !kind.names.stream()
                .allMatch(name -> name.equals(HEAD) || named.containsKey(name))) {
            return null;
        }
        int head = kind.names.indexOf(HEAD);
        StringBuilder before = new StringBuilder();
        StringBuilder after = new StringBuilder();
        for (int i = 0; i < kind.names.size(); i++) {
            String word = named.get(kind.names.get(i));
            if (i < head) {
                before.append(word).append(' ');
            } else if (i > head) {
                after.append(' ').append(word);
            }
        }
        return List.of(kind.field, before.toString(), after.toString());
    }
}
