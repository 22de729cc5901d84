package dev.rush.nemesis.client;

import dev.rush.nemesis.client.Offer.Item;
import dev.rush.testing.Await;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Prepares, controls and closes sales and rains. One thread does all of this, so no two changes of
 * a sale overlap, and a change of unknown outcome is retried before the next one.
 */
final class Operator implements Runnable {
    /** How long an offer stays current at least. */
    private static final long OFFER_NANOS = 15_000_000_000L;
    private static final long INTERVAL_MS = 60;
    private static final int TRIES_MAX = 40;

    private final Calls calls;
    private final Market market;
    private final Random random;
    private final BooleanSupplier running;
    private final Map<Integer, Long> replaceAt = new HashMap<>();
    private final Map<String, Long> totals = new HashMap<>();

    Operator(Calls calls, Market market, Random random, BooleanSupplier running) {
        this.calls = calls;
        this.market = market;
        this.random = random;
        this.running = running;
    }

    @Override
    public void run() {
        while (running.getAsBoolean()) {
            for (int shape = 0; shape < market.shapes(); shape++) {
                if (calls.history().now() >= replaceAt.getOrDefault(shape, 0L)) {
                    replace(shape);
                }
            }
            int shape = random.nextInt(market.shapes());
            if (market.current(shape) != null) {
                control(market.current(shape), random.nextInt(20));
            }
            Await.sleep(INTERVAL_MS);
        }
    }

    private void replace(int shape) {
        Offer former = market.current(shape);
        Offer next = market.create(shape, System.currentTimeMillis(), random);
        if (complete(() -> calls.prepare(next))) {
            market.makeCurrent(shape, next);
            if (former != null && random.nextInt(3) > 0) {
                complete(() -> calls.control(Kind.CLOSE, former));
            }
        }
        replaceAt.put(shape, calls.history().now() + OFFER_NANOS + random.nextInt(1 << 30) * 10L);
    }

    private void control(Offer offer, int roll) {
        if (roll == 0 && !offer.isRain()) {
            if (complete(() -> calls.control(Kind.PAUSE, offer))) {
                Await.sleep(random.nextInt(500));
            }
            complete(() -> calls.control(Kind.RESUME, offer));
        } else if (roll < 4 && !offer.isRain()) {
            Item item = offer.items().get(random.nextInt(offer.items().size()));
            long total = totals.getOrDefault(offer.id() + item.sku(), item.total())
                    + 1 + random.nextInt(100);
            totals.put(offer.id() + item.sku(), total);
            complete(() -> calls.total(offer, item.sku(), total));
        } else if (roll < 6) {
            calls.books(offer);
        } else if (roll == 6) {
            calls.prepare(offer);
        }
    }

    /** Retries a call until it succeeds or is refused; returns whether it succeeded. */
    private boolean complete(Supplier<Operation> call) {
        for (int i = 0; i < TRIES_MAX; i++) {
            Operation operation = call.get();
            if (operation.outcome() == Outcome.OK || operation.outcome() == Outcome.REFUSED
                    || !running.getAsBoolean()) {
                return operation.outcome() == Outcome.OK;
            }
            Await.sleep(INTERVAL_MS << Math.min(i, 4));
        }
        return false;
    }
}
