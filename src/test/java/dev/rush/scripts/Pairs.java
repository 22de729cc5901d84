package dev.rush.scripts;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Fields and values, which alternate in Redis's replies. */
final class Pairs {

    private Pairs() {
    }

    static Map<String, String> of(Object reply) {
        Map<String, String> pairs = new LinkedHashMap<>();
        List<?> flat = (List<?>) reply;
        for (int i = 0; i + 1 < flat.size(); i += 2) {
            pairs.put((String) flat.get(i), (String) flat.get(i + 1));
        }
        return pairs;
    }
}
