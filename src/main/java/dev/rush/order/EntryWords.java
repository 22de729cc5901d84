package dev.rush.order;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How an order or a grab is spelled in its partition's stream: as one field, named after its kind,
 * whose value is these words in this order, one blank between two. No word has a blank in it. One
 * field is a fraction of the work of many for everyone that an entry passes.
 */
record EntryWords(List<String> names, String[] words) {

    static final String PURCHASE = "purchase";
    static final String GRAB = "grab";
    private static final Map<String, List<String>> NAMES = Map.of(
            PURCHASE, List.of("sale", "user", "key", "state", "order", "at", "pay_by", "digest",
                    "lines", "lefts", "seq"),
            GRAB, List.of("rain", "user", "key", "grab", "number", "nth", "amount", "at", "seq"));
    private static final String KIND = "kind";

    /** The words of an entry of a kind; throws if they are not as many as that kind has. */
    static EntryWords of(String kind, String value) {
        List<String> names = NAMES.get(kind);
        String[] words = new String[names.size()];
        int from = 0;
        for (int i = 0; i < words.length; i++) {
            int blank = value.indexOf(' ', from);
            boolean last = i == words.length - 1;
            if (last != blank < 0) {
                throw new IllegalArgumentException("not " + words.length + " words");
            }
            words[i] = value.substring(from, last ? value.length() : blank);
            from = blank + 1;
        }
        return new EntryWords(names, words);
    }

    String word(String name) {
        return words[names.indexOf(name)];
    }

    /** An entry with its words by their names; as it is when it is none of ours. */
    static Map<String, String> named(Map<String, String> entry) {
        String kind = entry.size() == 1 ? entry.keySet().iterator().next() : "";
        if (!NAMES.containsKey(kind)) {
            return entry;
        }
        try {
            EntryWords words = of(kind, entry.get(kind));
            Map<String, String> named = new LinkedHashMap<>();
            named.put(KIND, kind);
            words.names.forEach(name -> named.put(name, words.word(name)));
            return named;
        } catch (IllegalArgumentException e) {
            return entry;
        }
    }

    /** The entry that {@link #named} was made of. */
    static Map<String, String> spelled(Map<String, String> named) {
        String kind = named.getOrDefault(KIND, "");
        List<String> names = NAMES.getOrDefault(kind, List.of());
        if (names.isEmpty() || !named.keySet().containsAll(names)) {
            return named;
        }
        return Map.of(kind, String.join(" ", names.stream().map(named::get).toList()));
    }
}
