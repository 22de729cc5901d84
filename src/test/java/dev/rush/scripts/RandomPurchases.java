package dev.rush.scripts;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Random sales and purchases. Users, keys and skus are few and awkward, so that they collide; some
 * purchases repeat an earlier one, or its key with another cart.
 */
final class RandomPurchases {
    static final List<String> USERS =
            List.of("711", "u", "u!", "u-1", "%d", "a.b", "^u$", "=", "t", "{p01}");
    static final List<String> SKUS = List.of("a", "b", "a.b", "a-b", "A");
    private static final List<String> KEYS = List.of("k", "k!", "t", "c", "=", "%s", "711", "u");
    static final long TOTAL_MAX = 1_000_000_000;
    static final long FAR_MS = 3_600_000;

    private final Random random;

    RandomPurchases(Random random) {
        this.random = random;
    }

    Purchase purchase(String order, List<Purchase> known) {
        if (!known.isEmpty() && random.nextInt(6) == 0) {
            Purchase earlier = any(known);
            return new Purchase(Deadline.any(random), order, earlier.user(), earlier.key(),
                    random.nextInt(3) == 0 ? units() : earlier.units());
        }
        return new Purchase(Deadline.any(random), order, user(),
                random.nextBoolean() ? order : key(), units());
    }

    /** Terms of a sale that is open, or opens or closes within some milliseconds. */
    SaleTerms terms(long preparedAt) {
        Map<String, SaleTerms.Item> items = new LinkedHashMap<>();
        SKUS.subList(0, 1 + random.nextInt(SKUS.size())).forEach(sku ->
                items.put(sku, new SaleTerms.Item(
                        pick(0, 1, random.nextInt(40), random.nextInt(200), TOTAL_MAX),
                        pick(0, 1, 1 + random.nextInt(4), random.nextInt(30), TOTAL_MAX))));
        long opensAt = random.nextInt(6) > 0 ? 0
                : preparedAt + (random.nextBoolean() ? random.nextInt(12) : FAR_MS);
        return new SaleTerms(opensAt,
                random.nextInt(5) == 0 ? Math.max(opensAt, preparedAt) + 1 + random.nextInt(20) : 0,
                List.of("none", "none", "cart", "user").get(random.nextInt(4)),
                pick(1, random.nextInt(30) + 1, 3_600_000),
                pick(0, 1, random.nextInt(1000), 2_592_000_000L), random.nextBoolean(),
                pick(1, 2 + random.nextInt(6), 1000), pick(0, 0, 1, 3), items);
    }

    /** One to four lines, mostly of one unit, rarely of an unknown item or a huge quantity. */
    Map<String, Long> units() {
        Map<String, Long> units = new LinkedHashMap<>();
        int lines = random.nextInt(4) == 0 ? 1 + random.nextInt(4) : 1;
        for (int i = 0; i < lines; i++) {
            units.put(random.nextInt(40) == 0 ? "none" : sku(), switch (random.nextInt(9)) {
                case 0 -> 2L;
                case 1 -> 1L + random.nextInt(12);
                case 2 -> 1_000_000L;
                default -> 1L;
            });
        }
        return units;
    }

    String user() {
        return any(USERS);
    }

    String key() {
        return any(KEYS);
    }

    String sku() {
        return any(SKUS);
    }

    long pick(long... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
