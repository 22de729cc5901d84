package dev.rush.sale;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** A model of a sale according to the contract: small, obvious, and independent of the service. */
final class SaleModel {
    private static final long QUANTITY_MAX = 100;

    private final Map<String, Item> items = new LinkedHashMap<>();
    private final Map<String, Long> taken = new HashMap<>();
    private final Map<String, Map<String, Long>> accepted = new HashMap<>();
    private boolean paused;
    private boolean closed;
    private int orders;

    /** An item and its counters. */
    static final class Item {
        private final long limit;
        private long total;
        private long ordered;

        Item(long total, long limit) {
            this.total = total;
            this.limit = limit;
        }

        long left() {
            return total - ordered;
        }

        @Override
        public String toString() {
            return ordered + "/" + total;
        }
    }

    void offer(String sku, long total, long limit) {
        items.put(sku, new Item(total, limit));
    }

    Map<String, Item> items() {
        return items;
    }

    int orders() {
        return orders;
    }

    long taken(String user, String sku) {
        return taken.getOrDefault(user + " " + sku, 0L);
    }

    /** Buys. Returns the word of the answer and, for some words, the sku that it names. */
    String buy(String user, String key, Map<String, Long> lines, long largest) {
        if (largest > QUANTITY_MAX) {
            return "invalid-request";
        }
        String refusal = key == null ? null : earlier(user + " " + key, lines);
        if (refusal == null) {
            refusal = refusal(user, lines);
        }
        if (refusal != null) {
            return refusal;
        }
        lines.forEach((sku, quantity) -> {
            items.get(sku).ordered += quantity;
            taken.merge(user + " " + sku, quantity, Long::sum);
        });
        if (key != null) {
            accepted.put(user + " " + key, Map.copyOf(lines));
        }
        orders++;
        return "accepted";
    }

    String total(String sku, long total) {
        Item item = items.get(sku);
        if (item == null) {
            return "unknown-item";
        }
        if (total < item.ordered) {
            return "below-ordered";
        }
        item.total = total;
        return "done";
    }

    String pause(boolean wanted) {
        if (closed) {
            return "closed";
        }
        paused = wanted;
        return "done";
    }

    String close() {
        closed = true;
        return "done";
    }

    private String earlier(String userKey, Map<String, Long> lines) {
        Map<String, Long> first = accepted.get(userKey);
        return first == null ? null : first.equals(lines) ? "replayed" : "key-reused";
    }

    private String refusal(String user, Map<String, Long> lines) {
        for (String sku : lines.keySet()) {
            if (!items.containsKey(sku)) {
                return "unknown-item " + sku;
            }
        }
        if (paused) {
            return "paused";
        }
        if (closed) {
            return "closed";
        }
        for (Map.Entry<String, Long> line : lines.entrySet()) {
            Item item = items.get(line.getKey());
            if (item.limit > 0 && taken(user, line.getKey()) + line.getValue() > item.limit) {
                return "limit-reached " + line.getKey();
            }
        }
        for (String sku : lines.keySet()) {
            if (items.get(sku).left() == 0) {
                return "sold-out " + sku;
            }
        }
        for (Map.Entry<String, Long> line : lines.entrySet()) {
            if (items.get(line.getKey()).left() < line.getValue()) {
                return "insufficient-stock " + line.getKey();
            }
        }
        return null;
    }
}
