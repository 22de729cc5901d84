package dev.rush.nemesis.checker;

import dev.rush.nemesis.Layout;
import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Offer;
import dev.rush.nemesis.client.Offer.Cart;
import dev.rush.nemesis.client.Offer.Item;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.Fault.Effect;
import dev.rush.nemesis.fault.InjectedFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A run that a test makes up: a sale of ten apples, at most two per user, and a rain of three
 * envelopes.
 */
final class SampleRun {
    static final Offer SALE = new Offer("sale", List.of(new Item("apple", 10, 2)), 1,
            Duration.ZERO, Duration.ofSeconds(2), 0, List.of(), 0);
    static final Offer RAIN = Offer.rain("rain", 2, 5, 7, 9);
    private static final long SECOND = 1_000_000_000L;
    private static final long WALL_MS = 1_700_000_000_000L;

    final Stored stored = new Stored();
    final List<Operation> operations = new ArrayList<>();
    private final List<InjectedFault> faults = new ArrayList<>();
    /** The pods' {@code rush.durability}. */
    String durability = "redis";
    private int second;

    SampleRun() {
        stored.items.put(Stored.item("sale", "apple"), new Stored.Item(10, 0));
        stored.books.put("sale", new Stored.Books("balanced", 0, 0, 0, ""));
        add(Kind.PREPARE, SALE, -1, null, Outcome.OK, "", null);
    }

    Findings findings() {
        return Checker.check(new Evidence(
                operations, new FaultLog(faults), stored, at -> WALL_MS + at / 1_000_000,
                durability));
    }

    /** Adds an operation; each begins in its own second and takes half of it. */
    Operation add(Kind kind, Offer offer, int user, String key, Outcome outcome, String word,
            UUID order) {
        Cart cart = kind == Kind.PURCHASE ? new Cart(Map.of("apple", 1)) : null;
        return add(new Operation(kind, offer, user, key, cart, 0, 0, outcome, word, order, false,
                0, "apple"));
    }

    /** Adds an operation in its own second, whatever its times are. */
    Operation add(Operation untimed) {
        second++;
        Operation timed = new Operation(untimed.kind(), untimed.offer(), untimed.user(),
                untimed.key(), untimed.cart(), second * SECOND, second * SECOND + SECOND / 2,
                untimed.outcome(), untimed.word(), untimed.order(), untimed.replayed(),
                untimed.number(), untimed.sku());
        operations.add(timed);
        return timed;
    }

    /** Adds an accepted purchase of one apple that the ledger has confirmed. */
    Operation bought(int user, String key) {
        Operation purchase = accepted(user, key);
        store(purchase, "confirmed");
        return purchase;
    }

    /** Adds an accepted purchase of one apple that the ledger does not have. */
    Operation accepted(int user, String key) {
        return add(Kind.PURCHASE, SALE, user, key, Outcome.OK, "accepted", UUID.randomUUID());
    }

    Operation refused(int user, String word) {
        return add(Kind.PURCHASE, SALE, user, null, Outcome.REFUSED, word, null);
    }

    Operation operator(Kind kind) {
        return add(kind, SALE, -1, null, Outcome.OK, "", null);
    }

    /** Stores a purchase of one apple in the ledger. */
    void store(Operation purchase, String status) {
        store(purchase, status, 1);
    }

    /** Stores a purchase as expired, with a payment window. */
    void expire(Operation purchase) {
        store(purchase, "expired");
        stored.orders.computeIfPresent(purchase.order(), (id, order) -> new Stored.Order(id,
                order.sale(), order.user(), order.key(), order.lines(), order.status(),
                order.placedAtMs(), 1));
    }

    void store(Operation purchase, String status, int quantity) {
        UUID id = purchase.order();
        String key = purchase.key() == null ? id.toString() : purchase.key();
        stored.orders.put(id, new Stored.Order(id, "sale", purchase.userName(), key,
                "apple:" + quantity, status, WALL_MS + purchase.to() / 1_000_000, 0));
        countSold();
    }

    /** Sets the item's sold units to the sum of its orders. */
    void countSold() {
        stored.items.put(Stored.item("sale", "apple"), new Stored.Item(10, stored.orders.values()
                .stream().filter(Stored.Order::sold)
                .mapToLong(order -> order.quantity("apple")).sum()));
    }

    /** Adds a fault of all partitions from the second second to the end. */
    void fault(Effect... effects) {
        fault(2, 100, effects);
    }

    /** Adds a fault of all partitions between two seconds of the run. */
    void fault(int from, int to, Effect... effects) {
        Set<Effect> all = EnumSet.noneOf(Effect.class);
        all.addAll(List.of(effects));
        faults.add(new InjectedFault("fault", all, IntStream.range(0, Layout.PARTITIONS)
                .boxed().collect(Collectors.toSet()), from * SECOND, to * SECOND));
    }

    /** Adds an accepted grab that the ledger has. */
    Operation grabbed(int user, long number, long nth, long amount) {
        return grabbed(user, null, number, nth, amount);
    }

    Operation grabbed(int user, String key, long number, long nth, long amount) {
        Operation grab = add(new Operation(Kind.GRAB, RAIN, user, key, null, 0, 0, Outcome.OK,
                "accepted", UUID.randomUUID(), false, nth << 32 | amount, ""));
        stored.grabs.put(grab.order(), new Stored.Grab(grab.order(), "rain", grab.userName(),
                key, number, nth, amount, "confirmed"));
        return grab;
    }
}
