package dev.rush.bench.growth;

import dev.rush.bench.growth.History.Fate;
import dev.rush.ledger.sql.SqlArray;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/** Samples of the ledger's statements. */
final class LedgerSamples {
    private static final int PAGE = 500;
    private static final UUID FIRST = new UUID(0, 0);
    private static final SqlArray MONTHS =
            SqlArray.integers(IntStream.of(History.MONTHS).boxed().toList());
    /** Columns of the sums, beside sale, partition and item. */
    private static final int SUMS = 8;

    private LedgerSamples() {
    }

    static List<Sample> of(History history) {
        List<Sample> samples = new ArrayList<>();
        samples.add(new Sample("begin", Frequency.TRANSACTION));
        samples.add(new Sample("ledger-settings", Frequency.CHECK));
        samples.add(new Sample("is-behind", Frequency.TRANSACTION, 0));
        samples.add(new Sample("insert-audit", Frequency.CALL, UUID.randomUUID(), 1,
                "operator:ann", "sale.paused", "sale-0", null, "true", null));
        String all = Long.toString(Long.MAX_VALUE);
        samples.add(new Sample("journal-bound", Frequency.CALL, 1));
        samples.add(new Sample("is-beyond", Frequency.CALL, all));
        samples.add(new Sample("audit-page", Frequency.CALL, 1, "0", 0L, all, 50));
        samples.add(new Sample("steps-page", Frequency.CALL, MONTHS, MONTHS, 1, "0", 0L, all,
                PAGE / 2));
        orders(history, samples);
        pages(history, samples);
        samples.add(sums());
        return samples;
    }

    private static void orders(History history, List<Sample> samples) {
        int confirmed = history.first(Fate.CONFIRMED);
        int rejected = history.first(Fate.REJECTED);
        int keyed = IntStream.iterate(confirmed, order -> order + 1)
                .filter(order -> History.key(order) != null).findFirst().orElseThrow();
        int month = History.month(confirmed);
        samples.add(new Sample("order-by-id", Frequency.CALL, month, month, month,
                History.id(confirmed)));
        samples.add(new Sample("rejected-by-id", Frequency.CALL, History.month(rejected),
                History.id(rejected)));
        int keyedMonth = History.month(keyed);
        samples.add(new Sample("order-of-key", Frequency.CALL, keyedMonth, keyedMonth,
                keyedMonth, History.sale(keyed), History.user(keyed), History.key(keyed),
                History.key(keyed)));
        samples.add(new Sample("rejected-of-key", Frequency.CALL, History.month(rejected),
                History.sale(rejected), History.user(rejected), "key"));
        samples.add(new Sample("orders-of-buyer", Frequency.CALL, month, month, month,
                History.sale(confirmed), History.user(confirmed), 100));
        samples.add(new Sample("rejected-of-buyer", Frequency.CALL, History.month(rejected),
                History.sale(rejected), History.user(rejected), 100));
    }

    private static void pages(History history, List<Sample> samples) {
        int month = History.monthOfSale(0);
        String sale = History.saleName(0);
        // A small page: the shortest history has no full one of each.
        samples.add(new Sample("sale-page", Frequency.CHECK, month, month, month, sale, "", "",
                FIRST, PAGE / 2));
        samples.add(new Sample("rejected-page", Frequency.CHECK, month, sale, "", "", FIRST, 5));
        samples.add(new Sample("partition-page", Frequency.CHECK, MONTHS, 0,
                history.lastSeq(0) - PAGE + 1, FIRST, PAGE, MONTHS));
        samples.add(new Sample("rejected-partition-page", Frequency.CHECK, MONTHS, 0,
                history.lastSeq(0) - 2 * PAGE + 1, FIRST, PAGE));
        UUID end = new UUID(-1, -1);
        samples.add(new Sample("window-of-sale", Frequency.CALL, sale));
        samples.add(new Sample("orders-by-time", Frequency.CALL, month, month, end, FIRST, PAGE,
                month, sale, PAGE));
        samples.add(new Sample("rejected-by-time", Frequency.CALL, month, end, FIRST, 5, sale,
                5));
        List<UUID> ids = IntStream.range(0, History.BLOCK_ORDERS).mapToObj(History::id).toList();
        samples.add(new Sample("stored-ids", Frequency.CHECK, SqlArray.ids(ids), month, month));
    }

    /** A batch of orders of one sale and item. */
    private static Sample sums() {
        Object[] parameters = new Object[4 + SUMS];
        parameters[0] = true;
        parameters[1] = SqlArray.texts(List.of(History.saleName(0)));
        parameters[2] = SqlArray.integers(List.of(0));
        parameters[3] = SqlArray.texts(List.of("apple"));
        Arrays.fill(parameters, 4, parameters.length, SqlArray.longs(List.of(1L), units -> units));
        return new Sample("add-sums", Frequency.BATCH, parameters);
    }
}
