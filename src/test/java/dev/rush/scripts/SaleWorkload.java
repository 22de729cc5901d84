package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Random calls on one sale after another. Users, keys and skus are few and awkward, so that they
 * collide; numbers are at the limits of the contract as often as between them.
 */
final class SaleWorkload extends Workload {
    private static final int LIVE_MAX = 200;

    private final RandomPurchases shop;
    private final SaleGate gate;
    private SalePromises promises;
    private final List<Purchase> known = new ArrayList<>();
    private long backlog;
    private long orders;

    SaleWorkload(Random random, LuaScripts scripts) {
        super(random);
        this.shop = new RandomPurchases(random);
        this.gate = new SaleGate(scripts);
    }

    @Override
    boolean isOver() {
        return promises.live() > LIVE_MAX || random.nextInt(400) == 0;
    }

    @Override
    void step() {
        int dice = random.nextInt(100);
        if (dice < 66) {
            send(size());
        } else if (dice < 70) {
            crowd();
        } else if (dice < 80) {
            credit();
        } else if (dice < 84) {
            tombstone();
        } else if (dice < 88) {
            totals();
        } else if (dice < 91) {
            control();
        } else if (dice < 94) {
            drain();
        } else if (dice < 98) {
            read();
        } else if (isPrepared()) {
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
    }

    @Override
    Window begin() {
        gate.clear();
        promises = new SalePromises();
        known.clear();
        backlog = shop.pick(0, 1, 12, 2_000_000);
        return promises;
    }

    @Override
    List<Long> prepare(long now, long preparedAt) {
        SaleTerms terms = shop.terms(preparedAt);
        release(terms, now);
        promises.prepare(terms);
        if (random.nextInt(4) > 0) {
            assertThat(gate.ensure()).isEqualTo("done");
            assertThat(gate.isWhole()).isTrue();
        } else {
            // The purchases of its first call create the keys for later ones.
            send(BATCH_MAX);
        }
        return List.of(terms.opensAt(), terms.closesAt());
    }

    @Override
    String controlled(String action) {
        return gate.control(action);
    }

    @Override
    String seenChanges() {
        return gate.view().changes();
    }

    /** Prepares in two steps, some of them repeated or wrong. */
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
        if (listed) {
            isNow(now, Long.parseLong(gate.listedSince()));
        } else {
            assertThat(gate.listedSince()).isNull();
        }
    }

    @Override
    long send(int size) {
        long before = System.currentTimeMillis();
        List<Purchase> purchases = purchases(size);
        Reply reply = gate.purchase(backlog, purchases);
        same(promised(purchases, reply.now()), reply, promises.sequence(), before);
        for (int i = 0; i < size; i++) {
            if (reply.texts().get(i).startsWith("accepted ")) {
                known.add(purchases.get(i));
            }
        }
        return reply.now();
    }

    /** New buyers who share two carts, as in a rush. */
    private void crowd() {
        List<Map<String, Long>> carts = List.of(shop.units(), shop.units());
        List<Purchase> purchases = new ArrayList<>();
        for (int i = 2 + random.nextInt(12); i > 0; i--) {
            String order = "o-%012d".formatted(++orders);
            purchases.add(new Purchase(Deadline.FOREVER, order, "new-" + orders, order,
                    carts.get(random.nextInt(2))));
        }
        long before = System.currentTimeMillis();
        Reply reply = gate.purchase(backlog, purchases);
        same(promised(purchases, reply.now()), reply, promises.sequence(), before);
    }

    private List<Purchase> purchases(int size) {
        List<Purchase> purchases = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            purchases.add(shop.purchase("o-%012d".formatted(++orders), known));
        }
        return purchases;
    }

    private List<String> promised(List<Purchase> purchases, long now) {
        List<String> expected = new ArrayList<>(purchases.size());
        purchases.forEach(each -> expected.add(promises.purchase(each, backlog, now)));
        return expected;
    }

    /** Ordered units without buyers are a loss, so the sale sells nothing more. */
    private void loseOrders() {
        gate.loseOrders();
        boolean isLost = promises.counters().values().stream()
                .anyMatch(counters -> !counters.startsWith("0/"));
        String text = gate.purchase(backlog, List.of(new Purchase(Deadline.FOREVER, "o-lost",
                shop.user(), "o-lost", Map.of(shop.sku(), 1L)))).texts().get(0);
        assertThat(text.equals("not-loaded")).as(text).isEqualTo(
                isLost || promises.counters().isEmpty());
        assertThat(gate.ensure()).isIn(
                isLost ? List.of("not-loaded") : List.of("done", "unknown-sale"));
        next();
    }

    private void fail() {
        gate.breakSequence();
        List<Purchase> purchases = purchases(2 + random.nextInt(12));
        // With a broken sequence, the number of waiting orders is unknown.
        backlog = backlog == 0 ? 0 : 2_000_000;
        Reply reply = gate.purchase(backlog, purchases);
        sameUnwritten(promised(purchases, reply.now()), reply);
        next();
    }

    private void credit() {
        boolean expired = random.nextInt(3) == 0;
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
                promises.credit(each.user(), each.order(), expired)));
        assertThat(gate.credit(orders, expired)).isEqualTo(expected);
        expected.forEach(this::meet);
    }

    /** For an unused key, or for a purchase, which may have had no key. */
    private void tombstone() {
        boolean isUsed = !known.isEmpty() && random.nextInt(4) == 0;
        Purchase used = isUsed ? known() : null;
        String user = isUsed ? used.user() : shop.user();
        String key = isUsed ? used.key() : shop.key();
        same(promises.tombstone(user, key), gate.tombstone(user, key));
    }

    /** Changes of one total, some with an older version than those before. */
    private void totals() {
        String sku = random.nextInt(10) == 0 ? "none" : shop.sku();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            long total = shop.pick(0, random.nextInt(20), random.nextInt(300),
                    RandomPurchases.TOTAL_MAX);
            long version = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(4);
            same(promises.total(sku, total, version), gate.total(sku, total, version));
        }
    }

    private void drain() {
        assertThat(gate.drain()).isEqualTo(promises.drain());
    }

    @Override
    void read() {
        String user = shop.user();
        assertThat(gate.record(user)).isEqualTo(promises.record(user));
        String order = known.isEmpty() || random.nextInt(5) == 0 ? "o-none" : known().order();
        assertThat(gate.search(order, 1 + random.nextInt(5))).isEqualTo(promises.search(order));
        assertThat(gate.backlog()).isEqualTo(promises.waiting());
        view();
    }

    private void view() {
        long before = System.currentTimeMillis();
        SaleGate.View view = gate.view();
        assertThat(view.counters()).isEqualTo(promises.counters());
        sameChanges(before, view.now(), view.changes());
    }

    @Override
    void compareAll() {
        view();
        for (String user : RandomPurchases.USERS) {
            assertThat(gate.record(user)).isEqualTo(promises.record(user));
        }
        drain();
        ask();
    }

    /** Asks for more of each item than a user may have; the refusal says what the user has. */
    private void ask() {
        List<Purchase> purchases = new ArrayList<>();
        for (String user : RandomPurchases.USERS) {
            for (String sku : RandomPurchases.SKUS) {
                String order = "o-%012d".formatted(++orders);
                purchases.add(new Purchase(Deadline.FOREVER, order, user, order,
                        Map.of(sku, RandomPurchases.TOTAL_MAX)));
            }
        }
        Reply reply = gate.purchase(backlog, purchases);
        assertThat(reply.texts()).isEqualTo(promised(purchases, reply.now()));
    }

    private Purchase known() {
        return any(known);
    }
}
