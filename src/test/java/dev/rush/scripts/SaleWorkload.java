package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Random calls on one sale after the other. Users, keys and skus are few and awkward, so that they
 * meet each other; numbers lie at the ends of what the contract allows as often as in between.
 */
final class SaleWorkload {
    private static final int LIVE_MAX = 200;
    private static final int BATCH_MAX = 128;

    private final Random random;
    private final RandomPurchases shop;
    private final SaleGate gate;
    private final Set<String> met = new HashSet<>();
    private SalePromises promises;
    private final List<Purchase> known = new ArrayList<>();
    private long backlog;
    private long orders;
    private boolean isPrepared;
    private long promisedChanges;
    private String changes;

    SaleWorkload(Random random, LuaScripts scripts) {
        this.random = random;
        this.shop = new RandomPurchases(random);
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
            int size = size();
            purchase(size);
            return size;
        } else if (dice < 80) {
            credit();
        } else if (dice < 84) {
            String user = shop.user();
            String key = shop.key();
            same(promises.tombstone(user, key), gate.tombstone(user, key));
        } else if (dice < 88) {
            total();
        } else if (dice < 91) {
            steer(steering());
        } else if (dice < 94) {
            drain();
        } else if (dice < 98) {
            read();
        } else if (isPrepared) {
            switch (random.nextInt(8)) {
                case 0 -> {
                    gate.loseStock();
                    promises.loseStock();
                }
                case 1 -> loseOrders();
                case 2, 3 -> fail();
                default -> view();
            }
        }
        return 0;
    }

    private void begin() {
        gate.clear();
        promises = new SalePromises();
        known.clear();
        isPrepared = false;
        backlog = shop.pick(0, 1, 12, 2_000_000);
        promisedChanges = 0;
        if (random.nextInt(8) > 0) {
            prepare();
        } else {
            read();
        }
    }

    private void prepare() {
        long now = System.currentTimeMillis();
        SaleTerms terms = shop.terms(now);
        release(terms, now);
        promises.prepare(terms);
        isPrepared = true;
        changes = gate.view().changes();
        for (int i = random.nextInt(3); i > 0; i--) {
            steer(terms.opensAt() > 0 && random.nextBoolean() ? "close" : steering());
        }
        cross(terms.opensAt());
        cross(terms.closesAt());
    }

    /** Prepares in two steps, some of them done again or wrongly. */
    private void release(SaleTerms terms, long now) {
        assertThat(gate.ensure()).isEqualTo("unknown-sale");
        assertThat(gate.release(terms, "epoch", true)).isEqualTo("not-loaded");
        assertThat(gate.hold(terms, "one", "epoch")).isEqualTo("held epoch");
        assertThat(gate.hold(terms, "one", "later")).isEqualTo("held epoch");
        assertThat(gate.hold(terms, "other", "epoch")).isEqualTo("sale-exists");
        assertThat(gate.release(terms, "later", true)).isEqualTo("not-loaded");
        boolean listed = random.nextInt(4) > 0;
        assertThat(gate.release(terms, "epoch", listed)).isEqualTo("created");
        assertThat(gate.release(terms, "epoch", listed)).isEqualTo("exists");
        assertThat(gate.hold(terms, "one", "epoch")).isEqualTo("exists");
        assertThat(gate.ensure()).isEqualTo("done");
        assertThat(gate.isWhole()).isTrue();
        if (listed) {
            isNow(now, Long.parseLong(gate.listedSince()));
        } else {
            assertThat(gate.listedSince()).isNull();
        }
    }

    /** Buys at every millisecond around an edge of the window. */
    private void cross(long edge) {
        while (edge > 0 && purchase(1) <= edge) {
            // The edge is near: see prepare.
        }
    }

    private int size() {
        return random.nextBoolean() ? 1 : 1 + random.nextInt(
                random.nextInt(20) == 0 ? BATCH_MAX : 12);
    }

    /** Sends a call of so many requests, and returns Redis's time. */
    private long purchase(int size) {
        long before = System.currentTimeMillis();
        List<Purchase> purchases = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            purchases.add(shop.purchase("o-%012d".formatted(++orders), known));
        }
        SaleGate.Reply reply = gate.purchase(backlog, purchases);
        isNow(before, reply.now());
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
        return reply.now();
    }

    /** Units that are ordered by nobody are a loss, so nothing more of the item is sold. */
    private void loseOrders() {
        gate.loseOrders();
        String sku = shop.sku();
        boolean isLost = !promises.counters().getOrDefault(sku, "0/").startsWith("0/");
        String text = gate.purchase(backlog, List.of(new Purchase(Long.MAX_VALUE, "o-lost",
                shop.user(), "o-lost", Map.of(sku, 1L)))).texts().get(0);
        assertThat(text.equals("not-loaded")).as(text).isEqualTo(
                isLost || promises.counters().isEmpty());
        assertThat(gate.ensure()).isIn(promises.counters().values().stream()
                .allMatch(counters -> counters.startsWith("0/"))
                ? List.of("done", "not-loaded") : List.of("not-loaded"));
        begin();
    }

    /** A defect that shows in writing is told to all who were granted, and to no one else. */
    private void fail() {
        gate.breakSequence();
        SaleGate.Reply reply = gate.purchase(backlog, List.of(shop.purchase("o-1", known),
                new Purchase(0, "o-2", "late", "o-2", shop.units()), shop.purchase("o-3", known)));
        assertThat(reply.texts()).hasSize(3).noneMatch(text -> text.startsWith("accepted "));
        assertThat(reply.texts().get(1)).isEqualTo("unavailable");
        for (String text : reply.texts()) {
            if (text.startsWith("failed ")) {
                assertThat(text).contains("integer");
                met.add("failed");
            }
        }
        begin();
    }

    private void credit() {
        List<Purchase> orders = new ArrayList<>();
        int size = 1 + random.nextInt(4);
        for (int i = 0; i < size; i++) {
            Purchase order = known.isEmpty() || random.nextInt(8) == 0
                    ? shop.purchase("o-none", known) : known();
            orders.add(random.nextInt(12) > 0 ? order : new Purchase(0, order.order(),
                    shop.user(), order.key(), order.units()));
        }
        List<String> expected = new ArrayList<>();
        orders.forEach(each -> expected.add(
                promises.credit(each.user(), each.key(), each.order())));
        assertThat(gate.credit(orders)).isEqualTo(expected);
        met.addAll(expected);
    }

    private void total() {
        String sku = random.nextInt(10) == 0 ? "none" : shop.sku();
        long total = shop.pick(0, random.nextInt(20), random.nextInt(300),
                RandomPurchases.TOTAL_MAX);
        long version = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(4);
        same(promises.total(sku, total, version), gate.total(sku, total, version));
    }

    /** Closing ends what a sale has to show, so it comes seldom. */
    private String steering() {
        return random.nextInt(12) == 0 ? "close" : random.nextInt(3) == 0 ? "pause" : "resume";
    }

    private void steer(String action) {
        long before = System.currentTimeMillis();
        if (!promises.endsBetween(before - 5, before + 1000)) {
            same(promises.steer(action, before), gate.steer(action));
        }
    }

    private void drain() {
        assertThat(gate.drain()).isEqualTo(promises.drain());
        if (backlog > 0) {
            assertThat(gate.traces()).isZero();
        }
    }

    private void read() {
        String user = shop.user();
        int most = 1 + random.nextInt(20);
        assertThat(gate.orders(user, most)).isEqualTo(promises.orders(user, most));
        String order = known.isEmpty() || random.nextInt(5) == 0 ? "o-none" : known().order();
        same(promises.find(order), gate.find(order));
        view();
    }

    private void view() {
        long before = System.currentTimeMillis();
        SaleGate.View view = gate.view();
        isNow(before, view.now());
        assertThat(view.counters()).isEqualTo(promises.counters());
        assertThat(view.changes() != null).isEqualTo(isPrepared);
        if (isPrepared) {
            assertThat(view.changes().equals(changes)).as("unchanged")
                    .isEqualTo(promises.changes() == promisedChanges);
        }
        changes = view.changes();
        promisedChanges = promises.changes();
    }

    private static void isNow(long before, long now) {
        assertThat(now).as("Redis's time").isBetween(before - 1, System.currentTimeMillis() + 1);
    }

    private void compareAll() {
        view();
        for (String user : RandomPurchases.USERS) {
            assertThat(gate.orders(user, 1000)).isEqualTo(promises.orders(user, 1000));
        }
        drain();
    }

    private void same(String expected, String actual) {
        assertThat(actual).isEqualTo(expected);
        met.add(expected.split(" ")[0]);
    }

    private Purchase known() {
        return known.get(random.nextInt(known.size()));
    }
}
