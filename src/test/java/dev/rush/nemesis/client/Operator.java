package dev.rush.nemesis.client;

import dev.rush.nemesis.client.Offer.Item;
import dev.rush.testing.Await;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * The one who prepares, controls and closes. It is one thread, so no two changes of a sale overlap,
 * and a change of unknown outcome is repeated before the next one.
 */
final class Operator implements Runnable {
    private static final long SEASON_NANOS = 15_000_000_000L;
    private static final long REST_MS = 60;
    private static final int TRIES = 40;

    private final Calls calls;
    private final Market market;
    private final Random random;
    private final Cadence cadence;
    private final Map<Integer, Long> due = new HashMap<>();
    private final Map<String, Long> totals = new HashMap<>();

    Operator(Calls calls, Market market, Random random, Cadence cadence) {
        this.calls = calls;
        this.market = market;
        this.random = random;
        this.cadence = cadence;
    }

    @Override
    public void run() {
        while (cadence.next()) {
            for (int shape = 0; shape < market.shapes(); shape++) {
                if (calls.history().now() >= due.getOrDefault(shape, 0L)) {
                    renew(shape);
                }
            }
            int shape = random.nextInt(market.shapes());
            if (market.inSeason(shape) != null) {
                control(market.inSeason(shape), random.nextInt(20));
            }
            Await.sleep(REST_MS);
        }
    }

    private void renew(int shape) {
        Offer former = market.inSeason(shape);
        Offer next = market.next(shape, System.currentTimeMillis(), random);
        if (insist(() -> calls.prepare(next))) {
            market.open(shape, next);
            if (former != null && random.nextInt(3) > 0) {
                insist(() -> calls.control(Kind.CLOSE, former));
            }
        }
        due.put(shape, calls.history().now() + SEASON_NANOS + random.nextInt(1 << 30) * 10L);
    }

    private void control(Offer offer, int dice) {
        if (dice == 0 && !offer.isRain()) {
            if (insist(() -> calls.control(Kind.PAUSE, offer))) {
                Await.sleep(random.nextInt(500));
            }
            insist(() -> calls.control(Kind.RESUME, offer));
        } else if (dice < 4 && !offer.isRain()) {
            Item item = offer.items().get(random.nextInt(offer.items().size()));
            long total = totals.getOrDefault(offer.id() + item.sku(), item.total())
                    + 1 + random.nextInt(100);
            totals.put(offer.id() + item.sku(), total);
            insist(() -> calls.total(offer, item.sku(), total));
        } else if (dice < 6) {
            calls.books(offer);
        } else if (dice == 6) {
            calls.prepare(offer);
        }
    }

    /** Whether it was done in the end. */
    private boolean insist(java.util.function.Supplier<Operation> call) {
        for (int i = 0; i < TRIES; i++) {
            Operation operation = call.get();
            if (operation.outcome() == Outcome.OK || operation.outcome() == Outcome.REFUSED
                    || !cadence.next()) {
                return operation.outcome() == Outcome.OK;
            }
            Await.sleep(REST_MS << Math.min(i, 4));
        }
        return false;
    }
}
