package dev.rush.event;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The types of events, and patterns for them. */
final class EventTypes {

    static final String ORDER = "dev.rush.order.";
    static final String GRAB = "dev.rush.grab.";
    static final String SALE = "dev.rush.sale.";
    static final String RAIN = "dev.rush.rain.";
    /** Used only without a ledger, which would otherwise store dead letters. */
    static final String DEAD_LETTER = "dev.rush.dead-letter";
    private static final String ALL_OF = ".*";
    private static final List<String> ALL = all();

    private EventTypes() {
    }

    private static List<String> all() {
        List<String> all = new ArrayList<>();
        List.of("reserved", "confirmed", "rejected", "expired", "returned")
                .forEach(kind -> all.add(ORDER + kind));
        List.of("confirmed", "rejected").forEach(kind -> all.add(GRAB + kind));
        for (String offer : List.of(SALE, RAIN)) {
            List.of("prepared", "opened", "paused", "resumed", "closed")
                    .forEach(kind -> all.add(offer + kind));
        }
        all.add(SALE + "changed");
        all.add(SALE + "sold-out");
        all.add(RAIN + "emptied");
        return List.copyOf(all);
    }

    /** All types. */
    static List<String> known() {
        return ALL;
    }

    /** Whether this pattern matches any event type. */
    static boolean isPattern(String pattern) {
        return pattern != null && ALL.stream().anyMatch(type -> matches(pattern, type));
    }

    /** Whether a type equals any of these patterns, or begins with one that ends in {@code .*}. */
    static boolean matches(Collection<String> patterns, String type) {
        return patterns.stream().anyMatch(pattern -> matches(pattern, type));
    }

    private static boolean matches(String pattern, String type) {
        return pattern.endsWith(ALL_OF)
                ? type.startsWith(pattern.substring(0, pattern.length() - 1))
                : type.equals(pattern);
    }
}
