package dev.rush.nemesis.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The definition of a sale or a rain.
 *
 * @param items the items of a sale; empty for a rain
 * @param payWithin the payment window; zero confirms orders at once
 * @param guard the window of the duplicate guard for carts; zero disables the guard
 * @param opensAtMs wall-clock time; 0 opens at once
 * @param amounts the amounts of a rain's envelopes
 * @param grabsPerUser the limit of a rain
 */
public record Offer(String id, List<Item> items, int shards, Duration payWithin, Duration guard,
        long opensAtMs, List<Long> amounts, int grabsPerUser) {

    /** An item of a sale; limit 0 means no limit. */
    public record Item(String sku, long total, long limit) {
    }

    /** The lines of a purchase: quantities by sku. */
    public record Cart(Map<String, Integer> lines) {
        /** Returns the quantity of an item; 0 if the cart has none. */
        public int quantity(String sku) {
            return lines.getOrDefault(sku, 0);
        }

        String json() {
            return lines.entrySet().stream()
                    .map(line -> "{\"sku\":\"" + line.getKey() + "\",\"quantity\":"
                            + line.getValue() + "}")
                    .collect(Collectors.joining(",", "{\"items\":[", "]}"));
        }
    }

    /** Creates a sale that opens at once, without shards, payment window or guard. */
    public static Offer sale(String id, Item... items) {
        return new Offer(id, List.of(items), 1, Duration.ZERO, Duration.ZERO, 0, List.of(), 0);
    }

    /** Creates a rain. */
    public static Offer rain(String id, int grabsPerUser, long... amounts) {
        return new Offer(id, List.of(), 1, Duration.ZERO, Duration.ZERO, 0,
                LongStream.of(amounts).boxed().toList(), grabsPerUser);
    }

    Offer inShards(int count) {
        return new Offer(id, items, count, payWithin, guard, opensAtMs, amounts, grabsPerUser);
    }

    Offer paidWithin(Duration window) {
        return new Offer(id, items, shards, window, guard, opensAtMs, amounts, grabsPerUser);
    }

    Offer guarded(Duration window) {
        return new Offer(id, items, shards, payWithin, window, opensAtMs, amounts, grabsPerUser);
    }

    Offer openingAt(long wallMs) {
        return new Offer(id, items, shards, payWithin, guard, wallMs, amounts, grabsPerUser);
    }

    /** Returns whether this is a rain. */
    public boolean isRain() {
        return items.isEmpty();
    }

    /** Returns its HTTP path. */
    public String path() {
        return (isRain() ? "/v1/rains/" : "/v1/sales/") + id;
    }

    String definition() {
        if (isRain()) {
            return "{\"limitPerUser\":" + grabsPerUser + ",\"envelopes\":{\"amounts\":"
                    + amounts.toString().replace(" ", "") + "}}";
        }
        return items.stream()
                .map(item -> "{\"sku\":\"" + item.sku + "\",\"total\":" + item.total
                        + ",\"limitPerUser\":" + item.limit + "}")
                .collect(Collectors.joining(",", "{\"items\":[", "]"))
                + ",\"ordersPerUser\":1000,\"unpaidHolds\":0"
                + (payWithin.isZero() ? "" : ",\"paymentWindow\":\"" + payWithin + "\"")
                + (guard.isZero() ? "" : ",\"duplicateGuard\":\"cart\",\"duplicateGuardWindow\":\""
                        + guard + "\"")
                + (opensAtMs == 0 ? ""
                        : ",\"opensAt\":\"" + Instant.ofEpochMilli(opensAtMs) + "\"")
                + (shards == 1 ? "" : ",\"shards\":" + shards) + "}";
    }
}
