package dev.rush.bench.growth;

import dev.rush.bench.growth.History.Fate;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Samples of the statements for returns and for the history of an order. */
final class ReturnSamples {
    private static final String SALE = History.saleName(0);
    private static final String USER = "user-1";
    private static final String KEY = "key-1";
    private static final String ACTOR = "buyer:user";
    private static final int CLAIMED = 100;
    /** The shortest history has no more returned orders, nor more waiting returns of its own. */
    private static final int FEW = 4;
    /** More than the parked and void returns of any history have waited. */
    private static final long LONG_AGO = 0;

    private ReturnSamples() {
    }

    static List<Sample> of(History history) {
        List<Sample> samples = new ArrayList<>();
        orders(history, samples);
        sales(samples);
        parking(history, samples);
        parked(samples);
        samples.add(new Sample("beat", Frequency.SECOND, 5_000, 10_000));
        return samples;
    }

    private static void orders(History history, List<Sample> samples) {
        int returned = history.first(Fate.RETURNED);
        int month = History.month(returned);
        UUID order = History.id(returned);
        samples.add(new Sample("returned-at", Frequency.CALL, month, order, 1));
        samples.add(new Sample("steps-of-order", Frequency.CALL, month, order));
        samples.add(new Sample("block-of-order", Frequency.CALL, month, 0L));
        samples.add(new Sample("list-returned", Frequency.CALL, month, History.sale(returned), FEW,
                month));
        samples.add(new Sample("failed-order-of", Frequency.CALL, History.grabId(1), SALE));
        samples.add(new Sample("failed-key-of", Frequency.CALL, SALE, USER, KEY));
    }

    private static void sales(List<Sample> samples) {
        for (String name : List.of("is-sale-retired", "lock-retired-sale", "hold-parking",
                "has-lost", "is-losing", "is-sale-behind")) {
            samples.add(new Sample(name, Frequency.CALL, SALE));
        }
    }

    private static void parking(History history, List<Sample> samples) {
        UUID known = History.grabId(1);
        UUID unknown = History.id(history.first(Fate.CONFIRMED));
        samples.add(new Sample("return-of-order", Frequency.CALL, SALE, known));
        samples.add(new Sample("return-of-key", Frequency.CALL, SALE, USER, KEY));
        samples.add(new Sample("park-order", Frequency.CALL, SALE, "another", unknown,
                "reason", ACTOR, "too small", false));
        samples.add(new Sample("park-key", Frequency.CALL, SALE, USER, KEY, "reason", ACTOR,
                "too small", SALE, USER, 20));
        samples.add(new Sample("count-unknown", Frequency.CALL, USER, SALE, FEW));
        samples.add(new Sample("lock-user", Frequency.CALL, SALE + " " + USER));
        samples.add(new Sample("drop-return-of-order", Frequency.CALL, SALE, known));
        samples.add(new Sample("drop-return-of-key", Frequency.CALL, SALE, USER, KEY));
        samples.add(new Sample("list-returns", Frequency.CALL, SALE, "void", FEW));
    }

    private static void parked(List<Sample> samples) {
        UUID parked = History.grabId(1);
        samples.add(new Sample("claim-returns", Frequency.SECOND, LONG_AGO, CLAIMED));
        samples.add(new Sample("note-key-refused", Frequency.SECOND, "reason", "1-0", SALE, USER,
                KEY));
        samples.add(new Sample("explain-return", Frequency.SECOND, "reason", parked));
        samples.add(new Sample("void-return", Frequency.SECOND, "reason", parked, 1,
                "service:returns"));
        samples.add(new Sample("alarm-returns", Frequency.SECOND, LONG_AGO, 1,
                "service:returns"));
        samples.add(new Sample("count-returns", Frequency.SECOND));
    }
}
