package dev.rush.scripts;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * One purchase as it reaches the script.
 *
 * @param deadline milliseconds by Redis's clock
 * @param key      the order's own id where the client sent none
 * @param units    by sku, in the order of the client's lines
 */
record Purchase(long deadline, String order, String user, String key, Map<String, Long> units) {

    String lines() {
        return units.entrySet().stream().map(line -> line.getKey() + ":" + line.getValue())
                .collect(Collectors.joining(","));
    }

    /** Order, the client's key or nothing, digest and lines, as the service sends them. */
    String what() {
        return order + " " + (key.equals(order) ? "" : key) + " " + digest() + " " + lines();
    }

    /** Equal for equal lines in any order, as the service sends it. */
    String digest() {
        return units.size() == 1 ? "=" : new Purchase(0, "", "", "", new TreeMap<>(units)).lines();
    }
}
