package dev.rush.nemesis.client;

import dev.rush.nemesis.client.Offer.Item;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.LongStream;

/**
 * The sales and rains of a run. Each shape has one current offer; the operator replaces it from
 * time to time.
 */
public final class Market {
    private static final int SHAPES = 8;
    private static final int ENVELOPES = 400;

    private final AtomicReferenceArray<Offer> current = new AtomicReferenceArray<>(SHAPES);
    private final List<Offer> all = new ArrayList<>();
    private final AtomicInteger created = new AtomicInteger();
    private final String run;

    /**
     * Creates a market without offers.
     *
     * @param run a prefix of all ids, different for each run
     */
    public Market(String run) {
        this.run = run;
    }

    /** Returns the number of shapes. */
    int shapes() {
        return SHAPES;
    }

    /** Creates an offer of a shape, which becomes current by {@link #makeCurrent}. */
    Offer create(int shape, long wallMs, Random random) {
        String id = run + "-" + shape + "-" + created.incrementAndGet();
        Offer offer = switch (shape) {
            case 0 -> Offer.sale(id, new Item("a", 400, 2));
            case 1 -> Offer.sale(id, new Item("a", 1_000, 3), new Item("b", 300, 0),
                    new Item("c", 20, 1), new Item("d", 1_000, 5));
            case 2 -> Offer.sale(id, new Item("a", 600, 0), new Item("b", 300, 3))
                    .paidWithin(Duration.ofSeconds(4 + random.nextInt(6)));
            case 3 -> Offer.sale(id, new Item("a", 900, 0), new Item("b", 90, 2)).inShards(3);
            case 4 -> Offer.sale(id, new Item("a", 5_000, 0)).guarded(Duration.ofSeconds(2));
            case 5 -> Offer.sale(id, new Item("a", 100_000, 0), new Item("b", 100_000, 0))
                    .openingAt(wallMs + 2_000);
            default -> Offer.rain(id, shape == 6 ? 3 : 100,
                    LongStream.range(0, ENVELOPES).map(i -> 1 + random.nextInt(500)).toArray());
        };
        synchronized (all) {
            all.add(offer);
        }
        return offer;
    }

    /** Lets clients call an offer instead of the former one of its shape. */
    void makeCurrent(int shape, Offer offer) {
        current.set(shape, offer);
    }

    /** Returns the current offer of a shape; null before the first. */
    Offer current(int shape) {
        return current.get(shape);
    }

    /** Returns every offer that was created, prepared or not. */
    public List<Offer> all() {
        synchronized (all) {
            return List.copyOf(all);
        }
    }
}
