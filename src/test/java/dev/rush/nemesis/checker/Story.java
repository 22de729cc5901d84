package dev.rush.nemesis.checker;

import dev.rush.nemesis.Layout;
import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Offer;
import dev.rush.nemesis.client.Offer.Cart;
import dev.rush.nemesis.client.Offer.Item;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import dev.rush.nemesis.fault.Fault.Effect;
import dev.rush.nemesis.fault.Injected;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A run made by hand: a sale of ten apples, two a user, and a rain of three envelopes. */
final class Story {
    static final Offer SALE = new Offer("sale", List.of(new Item("apple", 10, 2)), 1,
            Duration.ZERO, Duration.ofSeconds(2), 0, List.of(), 0);
    static final Offer RAIN = Offer.rain("rain", 2, 5, 7, 9);
    private static final long SECOND = 1_000_000_000L;
    private static final long WALL_MS = 1_700_000_000_000L;

    final Stored stored = new Stored();
    final List<Operation> operations = new ArrayList<>();
    private final List<Injected> faults = new ArrayList<>();
    /** The pods' {@code rush.durability}. */
    String durability = "redis";
    private int second;

    Story() {
        stored.items.put(Stored.item("sale", "apple"), new Stored.Item(10, 0));
        stored.books.put("sale", new Stored.Books("balanced", 0, 0, 0, ""));
        add(Kind.PREPARE, SALE, -1, null, Outcome.OK, "", null);
    }

    Findings judged() {
        return Checker.judge(new Evidence(
                operations, new FaultLog(faults), stored, at -> WALL_MS + at / 1_000_000,
                durability));
    }

    /** Adds an operation of half a second in a second of its own. */
    Operation add(Kind kind, Offer offer, int user, String key, Outcome outcome, String word,
            UUID order) {
        Cart cart = kind == Kind.PURCHASE ? new Cart(Map.of("apple", 1)) : null;
        return add(new Operation(kind, offer, user, key, cart, 0, 0, outcome, word, order, false,
                0, "apple"));
    }

    /** The same, in a second of its own. */
    Operation add(Operation one) {
        second++;
        Operation timed = new Operation(one.kind(), one.offer(), one.user(), one.key(),
                one.cart(), second * SECOND, second * SECOND + SECOND / 2, one.outcome(),
                one.word(), one.order(), one.replayed(), one.number(), one.sku());
        operations.add(timed);
        return timed;
    }

    /** An accepted purchase of one apple that the ledger has. */
    Operation bought(int user, String key) {
        Operation one = accepted(user, key);
        store(one, "confirmed");
        return one;
    }

    /** An accepted purchase of one apple. */
    Operation accepted(int user, String key) {
        return add(Kind.PURCHASE, SALE, user, key, Outcome.OK, "accepted", UUID.randomUUID());
    }

    Operation refused(int user, String word) {
        return add(Kind.PURCHASE, SALE, user, null, Outcome.REFUSED, word, null);
    }

    Operation operator(Kind kind) {
        return add(kind, SALE, -1, null, Outcome.OK, "", null);
    }

    /** Lets the ledger have an order in a status. */
    void store(Operation one, String status) {
        store(one, status, 1);
    }

    /** Stores it as one that was not paid in time. */
    void expire(Operation one) {
        store(one, "expired");
        stored.orders.computeIfPresent(one.order(), (id, order) -> new Stored.Order(id,
                order.sale(), order.user(), order.key(), order.lines(), order.status(),
                order.placedAtMs(), 1));
    }

    void store(Operation one, String status, int quantity) {
        String key = one.key() == null ? one.order().toString() : one.key();
        stored.orders.put(one.order(), new Stored.Order(one.order(), "sale", one.userName(), key,
                "apple:" + quantity, status, WALL_MS + one.to() / 1_000_000, 0));
        count();
    }

    /** Counts again what is sold. */
    void count() {
        stored.items.put(Stored.item("sale", "apple"), new Stored.Item(10, stored.orders.values()
                .stream().filter(Stored.Order::sold).mapToLong(one -> one.of("apple")).sum()));
    }

    /** A fault that hit all partitions during all of the run. */
    void fault(Effect... effects) {
        fault(2, 100, effects);
    }

    /** A fault that hit all partitions between two seconds of the run. */
    void fault(int from, int to, Effect... effects) {
        fault("fault", from, to, effects);
    }

    void fault(String name, int from, int to, Effect... effects) {
        Set<Effect> all = EnumSet.noneOf(Effect.class);
        all.addAll(List.of(effects));
        faults.add(new Injected(name, all, IntStream.range(0, Layout.PARTITIONS)
                .boxed().collect(Collectors.toSet()), from * SECOND, to * SECOND));
    }

    /** A grab that was answered and stored. */
    Operation grabbed(int user, long number, long nth, long amount) {
        return grabbed(user, null, number, nth, amount);
    }

    Operation grabbed(int user, String key, long number, long nth, long amount) {
        Operation one = add(new Operation(Kind.GRAB, RAIN, user, key, null, 0, 0, Outcome.OK,
                "accepted", UUID.randomUUID(), false, nth << 32 | amount, ""));
        stored.grabs.put(one.order(), new Stored.Grab(one.order(), "rain", one.userName(), number,
                nth, amount, "confirmed"));
        return one;
    }
}
