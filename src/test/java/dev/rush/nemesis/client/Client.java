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
import java.util.function.BooleanSupplier;

/**
 * Acts for many buyers and players, one call at a time. It buys with and without keys, grabs,
 * reuses keys for other carts, returns, confirms, and retries calls, above all those of unknown
 * outcome.
 */
final class Client implements Runnable {
    private static final int USERS = 600;
    private static final int HOT_USERS = 12;
    private static final int REMEMBERED_MAX = 300;
    private static final long BACKOFF_MS = 20;
    private static final AtomicInteger KEYS = new AtomicInteger();

    private final Calls calls;
    private final Market market;
    private final Random random;
    private final BooleanSupplier running;
    /** Some earlier purchases and grabs that may have happened. */
    private final List<Operation> remembered = new ArrayList<>();
    private final ArrayDeque<Operation> unknown = new ArrayDeque<>();

    Client(Calls calls, Market market, Random random, BooleanSupplier running) {
        this.calls = calls;
        this.market = market;
        this.random = random;
        this.running = running;
    }

    @Override
    public void run() {
        while (running.getAsBoolean()) {
            Offer offer = market.current(random.nextInt(market.shapes()));
            if (offer == null) {
                Await.sleep(BACKOFF_MS);
                continue;
            }
            Operation last = act(offer, random.nextInt(100));
            if (last != null && last.outcome() == Outcome.UNAVAILABLE) {
                Await.sleep(1 + random.nextInt((int) BACKOFF_MS));
            }
        }
    }

    private Operation act(Offer offer, int roll) {
        if (roll < 4 && !unknown.isEmpty()) {
            return retry(unknown.poll());
        }
        if (roll < 60) {
            return offer.isRain() ? grab(offer) : buy(offer);
        }
        if (roll < 66) {
            return calls.view(offer, randomUser());
        }
        if (roll < 68 && !offer.isRain()) {
            return returnBeforePurchase(offer);
        }
        Operation earlier = earlier();
        if (earlier == null) {
            return null;
        }
        if (roll < 78) {
            return retry(earlier);
        }
        if (earlier.offer().isRain()) {
            return null;
        }
        return roll < 80 ? reuseKey(earlier) : roll < 89 ? returnOrder(earlier)
                : roll < 94 ? read(earlier) : confirm(earlier);
    }

    private Operation buy(Offer sale) {
        String key = random.nextInt(10) < 7 ? newKey() : null;
        return remember(calls.purchase(sale, randomUser(), key, randomCart(sale)));
    }

    private Operation grab(Offer rain) {
        return remember(
                calls.grab(rain, randomUser(), random.nextBoolean() ? newKey() : null));
    }

    /** Repeats a call with its key, which must give the same answer. */
    private Operation retry(Operation earlier) {
        if (earlier.key() == null) {
            return null;
        }
        Operation again = earlier.kind() == Kind.GRAB
                ? calls.grab(earlier.offer(), earlier.user(), earlier.key())
                : calls.purchase(
                        earlier.offer(), earlier.user(), earlier.key(), earlier.cart());
        if (again.outcome() == Outcome.UNKNOWN) {
            retryLater(again);
        }
        return again;
    }

    /** Sends another cart under the same key. */
    private Operation reuseKey(Operation earlier) {
        if (earlier.key() == null) {
            return null;
        }
        Offer sale = earlier.offer();
        Cart other = randomCart(sale);
        return other.equals(earlier.cart()) ? null
                : remember(calls.purchase(sale, earlier.user(), earlier.key(), other));
    }

    private Operation returnOrder(Operation earlier) {
        if (earlier.order() != null && random.nextInt(3) > 0) {
            return calls.returnOrder(earlier.offer(), earlier.user(), earlier.order());
        }
        return earlier.key() == null ? null
                : calls.returnOrder(earlier.offer(), earlier.user(), earlier.key());
    }

    /** Sends a return for a new key, and then a purchase under it. */
    private Operation returnBeforePurchase(Offer sale) {
        int user = randomUser();
        String key = newKey();
        calls.returnOrder(sale, user, key);
        return calls.purchase(sale, user, key, randomCart(sale));
    }

    private Operation confirm(Operation earlier) {
        return earlier.order() == null ? null
                : calls.confirm(earlier.offer(), earlier.user(), earlier.order());
    }

    private Operation read(Operation earlier) {
        UUID order = earlier.order();
        return order == null ? null : calls.order(earlier.offer(), earlier.user(), order);
    }

    private Operation remember(Operation operation) {
        if (operation.mayHaveHappened()) {
            if (remembered.size() < REMEMBERED_MAX) {
                remembered.add(operation);
            } else {
                remembered.set(random.nextInt(REMEMBERED_MAX), operation);
            }
        }
        if (operation.outcome() == Outcome.UNKNOWN) {
            retryLater(operation);
        }
        return operation;
    }

    private void retryLater(Operation operation) {
        if (unknown.size() < REMEMBERED_MAX) {
            unknown.add(operation);
        }
    }

    private Operation earlier() {
        return remembered.isEmpty() ? null
                : remembered.get(random.nextInt(remembered.size()));
    }

    private int randomUser() {
        return random.nextInt(random.nextInt(4) == 0 ? HOT_USERS : USERS);
    }

    private static String newKey() {
        return "k" + KEYS.incrementAndGet();
    }

    private Cart randomCart(Offer sale) {
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
