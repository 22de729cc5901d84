package dev.rush.nemesis.client;

import dev.rush.nemesis.client.Offer.Cart;
import dev.rush.nemesis.client.Offer.Item;
import dev.rush.testing.Await;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Many buyers and players in one thread, one call after the other. It buys with and without keys,
 * repeats, misuses keys, returns and confirms, and asks again with the same key where an outcome
 * was unknown.
 */
final class Client implements Runnable {
    private static final int USERS = 600;
    private static final int HOT_USERS = 12;
    private static final int REMEMBERED = 300;
    private static final long REST_MS = 20;
    private static final AtomicInteger KEYS = new AtomicInteger();

    private final Calls calls;
    private final Market market;
    private final Random random;
    private final Cadence cadence;
    /** Purchases and grabs of late, answered or not. */
    private final ArrayList<Operation> recent = new ArrayList<>();
    private final ArrayDeque<Operation> unknown = new ArrayDeque<>();

    Client(Calls calls, Market market, Random random, Cadence cadence) {
        this.calls = calls;
        this.market = market;
        this.random = random;
        this.cadence = cadence;
    }

    @Override
    public void run() {
        while (cadence.next()) {
            Offer offer = market.inSeason(random.nextInt(market.shapes()));
            if (offer == null) {
                Await.sleep(REST_MS);
                continue;
            }
            Operation last = act(offer, random.nextInt(100));
            if (last != null && last.outcome() == Outcome.UNAVAILABLE) {
                Await.sleep(1 + random.nextInt((int) REST_MS));
            }
        }
    }

    private Operation act(Offer offer, int dice) {
        if (dice < 4 && !unknown.isEmpty()) {
            return repeat(unknown.poll());
        }
        if (dice < 60) {
            return offer.isRain() ? grab(offer) : buy(offer);
        }
        if (dice < 66) {
            return calls.view(offer, user());
        }
        if (dice < 68 && !offer.isRain()) {
            return giveBackFirst(offer);
        }
        Operation former = former();
        if (former == null) {
            return null;
        }
        if (dice < 78) {
            return repeat(former);
        }
        if (former.offer().isRain()) {
            return null;
        }
        return dice < 80 ? misuse(former) : dice < 89 ? giveBack(former)
                : dice < 94 ? read(former) : confirm(former);
    }

    private Operation buy(Offer sale) {
        String key = random.nextInt(10) < 7 ? key() : null;
        return note(calls.purchase(sale, user(), key, cart(sale)));
    }

    private Operation grab(Offer rain) {
        return note(calls.grab(rain, user(), random.nextBoolean() ? key() : null));
    }

    /** The same again, which must have the same answer. */
    private Operation repeat(Operation former) {
        if (former.key() == null) {
            return null;
        }
        Operation again = former.kind() == Kind.GRAB
                ? calls.grab(former.offer(), former.user(), former.key())
                : calls.purchase(former.offer(), former.user(), former.key(), former.cart());
        if (again.outcome() == Outcome.UNKNOWN) {
            remember(again);
        }
        return again;
    }

    /** Another cart under the same key. */
    private Operation misuse(Operation former) {
        if (former.key() == null) {
            return null;
        }
        Offer sale = former.offer();
        Cart other = cart(sale);
        return other.equals(former.cart()) ? null
                : note(calls.purchase(sale, former.user(), former.key(), other));
    }

    private Operation giveBack(Operation former) {
        if (former.order() != null && random.nextInt(3) > 0) {
            return calls.giveBack(former.offer(), former.user(), former.order());
        }
        return former.key() == null ? null
                : calls.giveBack(former.offer(), former.user(), former.key());
    }

    /** Returns a key that nobody has seen, and then buys under it. */
    private Operation giveBackFirst(Offer sale) {
        int user = user();
        String key = key();
        calls.giveBack(sale, user, key);
        return calls.purchase(sale, user, key, cart(sale));
    }

    private Operation confirm(Operation former) {
        return former.order() == null ? null
                : calls.confirm(former.offer(), former.user(), former.order());
    }

    private Operation read(Operation former) {
        UUID order = former.order();
        return order == null ? null : calls.order(former.offer(), former.user(), order);
    }

    private Operation note(Operation operation) {
        if (operation.mayHaveHappened()) {
            if (recent.size() < REMEMBERED) {
                recent.add(operation);
            } else {
                recent.set(random.nextInt(REMEMBERED), operation);
            }
        }
        if (operation.outcome() == Outcome.UNKNOWN) {
            remember(operation);
        }
        return operation;
    }

    private void remember(Operation operation) {
        if (unknown.size() < REMEMBERED) {
            unknown.add(operation);
        }
    }

    private Operation former() {
        return recent.isEmpty() ? null : recent.get(random.nextInt(recent.size()));
    }

    private int user() {
        return random.nextInt(random.nextInt(4) == 0 ? HOT_USERS : USERS);
    }

    private static String key() {
        return "k" + KEYS.incrementAndGet();
    }

    private Cart cart(Offer sale) {
        List<Item> items = sale.items();
        Map<String, Integer> lines = new LinkedHashMap<>();
        int wanted = random.nextInt(4) == 0 ? 1 + random.nextInt(items.size()) : 1;
        while (lines.size() < wanted) {
            lines.put(items.get(random.nextInt(items.size())).sku(),
                    random.nextInt(5) == 0 ? 2 : 1);
        }
        return new Cart(lines);
    }
}
