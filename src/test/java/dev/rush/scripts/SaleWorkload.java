package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Random calls on one sale after the other. Users, keys and skus are few and awkward, so that they
 * meet each other; numbers lie at the ends of what the contract allows as often as in between.
 */
final class SaleWorkload {
    private static final long FOREVER = 99_999_999_999_999L;
    private static final long TOTAL_MAX = 1_000_000_000;
    private static final int LIVE_MAX = 200;
    private static final int BATCH_MAX = 128;
    private static final List<String> USERS =
            List.of("711", "u", "u!", "u-1", "%d", "a.b", "^u$", "=", "t", "{p01}");
    private static final List<String> KEYS = List.of("k", "k!", "t", "c", "=", "%s", "711", "u");
    private static final List<String> SKUS = List.of("a", "b", "a.b", "a-b", "A");

    private final Random random;
    private final SaleGate gate;
    private final Set<String> met = new HashSet<>();
    private SalePromises promises;
    private final List<Purchase> known = new ArrayList<>();
    private long backlog;
    private long orders;
    private boolean isPrepared;

    SaleWorkload(Random random, LuaScripts scripts) {
        this.random = random;
        this.gate = new SaleGate(scripts);
    }

    /** Sends so many requests, and some other calls between them. */
    void run(long requests) {
        begin();
        for (long sent = 0; sent < requests;) {
            if (promises.live() > LIVE_MAX || random.nextInt(400) == 0) {
                compareAll();
                begin();
            }
            if (!isPrepared && random.nextInt(3) == 0) {
                prepare();
            }
            sent += step();
        }
        compareAll();
    }

    /** The words of all replies so far. */
    Set<String> met() {
        return met;
    }

    private int step() {
        int dice = random.nextInt(100);
        if (dice < 70) {
            return purchase();
        } else if (dice < 80) {
            credit();
        } else if (dice < 84) {
            String user = any(USERS);
            String key = key();
            same(promises.tombstone(user, key), gate.tombstone(user, key));
        } else if (dice < 88) {
            total();
        } else if (dice < 91) {
            steer();
        } else if (dice < 94) {
            drain();
        } else if (dice < 99) {
            read();
        } else if (isPrepared && random.nextInt(4) == 0) {
            gate.loseStock();
            promises.loseStock();
        }
        return 0;
    }

    private void begin() {
        gate.clear();
        promises = new SalePromises();
        known.clear();
        isPrepared = false;
        backlog = List.of(0L, 12L, 2_000_000L).get(random.nextInt(3));
        if (random.nextInt(8) > 0) {
            prepare();
        }
    }

    private void prepare() {
        long now = System.currentTimeMillis();
        Map<String, SaleTerms.Item> items = new LinkedHashMap<>();
        int count = 1 + random.nextInt(SKUS.size());
        SKUS.subList(0, count).forEach(sku -> items.put(sku, new SaleTerms.Item(
                pick(0, 1, random.nextInt(40), random.nextInt(200), TOTAL_MAX),
                pick(0, 1, 1 + random.nextInt(4), random.nextInt(30), TOTAL_MAX))));
        long opensAt = random.nextInt(6) == 0 ? now + random.nextInt(40) : 0;
        SaleTerms terms = new SaleTerms(opensAt,
                random.nextInt(5) == 0 ? Math.max(opensAt, now) + 1 + random.nextInt(80) : 0,
                List.of("none", "none", "cart", "user").get(random.nextInt(4)),
                pick(1, random.nextInt(30) + 1, 3_600_000),
                pick(0, 1, random.nextInt(1000), 2_592_000_000L), random.nextBoolean(), items);
        gate.prepare(terms);
        promises.prepare(terms);
        isPrepared = true;
    }

    private int purchase() {
        int size = random.nextBoolean() ? 1 : 1 + random.nextInt(
                random.nextInt(20) == 0 ? BATCH_MAX : 12);
        List<Purchase> purchases = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            purchases.add(purchaseOf("o-%012d".formatted(++orders)));
        }
        SaleGate.Reply reply = gate.purchase(backlog, purchases);
        List<String> expected = new ArrayList<>(size);
        for (Purchase each : purchases) {
            expected.add(promises.purchase(each, backlog, reply.now()));
        }
        assertThat(reply.texts()).isEqualTo(expected);
        assertThat(reply.sequence()).isEqualTo(promises.sequence());
        for (int i = 0; i < size; i++) {
            met.add(expected.get(i).split(" ")[0]);
            if (expected.get(i).startsWith("accepted ")) {
                known.add(purchases.get(i));
            }
        }
        return size;
    }

    private Purchase purchaseOf(String order) {
        // Beside fresh purchases: the same once more, or another body under the same key.
        if (!known.isEmpty() && random.nextInt(6) == 0) {
            Purchase earlier = any(known);
            return new Purchase(deadline(), order, earlier.user(), earlier.key(),
                    random.nextInt(3) == 0 ? units() : earlier.units());
        }
        return new Purchase(deadline(), order, any(USERS), random.nextBoolean() ? order : key(),
                units());
    }

    private long deadline() {
        return switch (random.nextInt(30)) {
            case 0 -> 0;
            case 1 -> System.currentTimeMillis() - 2 + random.nextInt(5);
            default -> FOREVER;
        };
    }

    private Map<String, Long> units() {
        Map<String, Long> units = new LinkedHashMap<>();
        int lines = random.nextInt(4) == 0 ? 1 + random.nextInt(4) : 1;
        for (int i = 0; i < lines; i++) {
            units.put(random.nextInt(40) == 0 ? "none" : any(SKUS),
                    random.nextInt(3) > 0 ? 1L : pick(2, 1 + random.nextInt(12), 1_000_000));
        }
        return units;
    }

    private void credit() {
        List<Purchase> orders = new ArrayList<>();
        int size = 1 + random.nextInt(4);
        for (int i = 0; i < size; i++) {
            Purchase order = known.isEmpty() || random.nextInt(8) == 0
                    ? purchaseOf("o-none") : any(known);
            orders.add(random.nextInt(12) > 0 ? order : new Purchase(0, order.order(),
                    any(USERS), order.key(), order.units()));
        }
        List<String> expected = new ArrayList<>();
        orders.forEach(each -> expected.add(
                promises.credit(each.user(), each.key(), each.order())));
        assertThat(gate.credit(orders)).isEqualTo(expected);
        met.addAll(expected);
    }

    private void total() {
        String sku = random.nextInt(10) == 0 ? "none" : any(SKUS);
        long total = pick(0, random.nextInt(20), random.nextInt(300), TOTAL_MAX);
        long version = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(1000);
        same(promises.total(sku, total, version), gate.total(sku, total, version));
    }

    private void steer() {
        // Closing ends what a sale has to show, so it comes seldom.
        String action = random.nextInt(12) == 0 ? "close"
                : random.nextInt(3) == 0 ? "pause" : "resume";
        long before = System.currentTimeMillis();
        if (promises.endsBetween(before - 5, before + 1000)) {
            return;
        }
        same(promises.steer(action, before), gate.steer(action));
    }

    private void drain() {
        assertThat(gate.drain()).isEqualTo(promises.drain());
    }

    private void read() {
        String user = any(USERS);
        int most = 1 + random.nextInt(20);
        assertThat(gate.orders(user, most)).isEqualTo(promises.orders(user, most));
        String order = known.isEmpty() || random.nextInt(5) == 0 ? "o-none" : any(known).order();
        same(promises.find(order), gate.find(order));
        assertThat(gate.counters()).isEqualTo(promises.counters());
    }

    private void compareAll() {
        assertThat(gate.counters()).isEqualTo(promises.counters());
        for (String user : USERS) {
            assertThat(gate.orders(user, 1000)).isEqualTo(promises.orders(user, 1000));
        }
        drain();
    }

    private void same(String expected, String actual) {
        assertThat(actual).isEqualTo(expected);
        met.add(expected.split(" ")[0]);
    }

    private String key() {
        return any(KEYS);
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private long pick(long... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
