package dev.rush.bench.growth;

import dev.rush.ledger.sql.SqlArray;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/** Samples of the repairs' statements. */
final class RepairSamples {
    private static final int REPORTED = 100;
    private static final int SCAN = 10_000;
    /** As one part of a scan of the buyers' records. */
    private static final int PART = 500;
    private static final String SALE = History.saleName(0);

    private static final SqlArray PARTITIONS = SqlArray.integers(List.of(0, 1));

    private RepairSamples() {
    }

    private static Sample missing() {
        List<Integer> reported = IntStream.range(0, REPORTED).boxed().toList();
        return new Sample("steps-missing", Frequency.CHECK,
                SqlArray.integers(reported.stream().map(History::month).toList()),
                SqlArray.ids(reported.stream().map(History::id).toList()),
                SqlArray.integers(reported.stream().map(order -> 1).toList()),
                SqlArray.texts(reported, order -> "confirmed"),
                SqlArray.integers(IntStream.of(History.MONTHS).boxed().toList()));
    }

    private static Sample notEnded() {
        int month = History.monthOfSale(0);
        List<UUID> orders = IntStream.range(0, SCAN).filter(order -> History.month(order) == month)
                .limit(PART).mapToObj(History::id).toList();
        return new Sample("orders-not-ended", Frequency.CHECK, SqlArray.ids(orders), month, month);
    }

    static List<Sample> of() {
        return List.of(new Sample("failed-of-sale", Frequency.CHECK, SALE),
                new Sample("failed-of-partition", Frequency.CHECK, 0, 0L),
                new Sample("failed-ids", Frequency.CHECK, SALE, "purchase"),
                new Sample("version-of-total", Frequency.CHECK, SALE, "apple"),
                new Sample("sale-rebuilt", Frequency.CHECK, SALE),
                new Sample("last-seqs-of-sale", Frequency.CHECK, SALE),
                new Sample("items-rebuilt", Frequency.CHECK, SALE),
                new Sample("lock-out-parking", Frequency.CHECK, SALE),
                new Sample("refused-keys", Frequency.CHECK, SALE, History.monthOfSale(0)),
                new Sample("reserve-epoch", Frequency.CHECK, 2),
                new Sample("ledger-checked", Frequency.CHECK, 2, 2, 1L, 1L),
                new Sample("partitions-behind", Frequency.CHECK, PARTITIONS,
                        SqlArray.longs(List.of(11L, 0L), seq -> seq)),
                new Sample("number-before-refill", Frequency.CHECK, 0, 0L),
                new Sample("partitions-unasked", Frequency.CHECK, PARTITIONS),
                new Sample("partitions-sound", Frequency.CHECK, PARTITIONS),
                new Sample("find-behind", Frequency.SECOND),
                new Sample("raise-epoch", Frequency.CHECK, 1_000, 1_000, 1_000),
                new Sample("partitions-to-refill", Frequency.SECOND),
                new Sample("is-any-behind", Frequency.CHECK),
                new Sample("sales-to-refill", Frequency.CHECK, SqlArray.integers(List.of(0))),
                new Sample("totals-lost", Frequency.CHECK, SqlArray.texts(List.of(SALE)),
                        SqlArray.texts(List.of("apple")), SqlArray.longs(List.of(1L), one -> one)),
                new Sample("raise-lost-total", Frequency.CHECK, 5L, 1L, SALE, "apple", 1L),
                new Sample("time-of-refill", Frequency.SECOND),
                new Sample("retries-of-before", Frequency.SECOND, 0, "infinity"),
                new Sample("retried-orders", Frequency.CHECK,
                        SqlArray.texts(List.of(History.grabId(1).toString()))),
                notEnded(),
                new Sample("rains-to-refill", Frequency.CHECK, 0),
                new Sample("shards-to-refill", Frequency.CHECK, PARTITIONS),
                new Sample("defers-new-orders", Frequency.SECOND, 0),
                new Sample("new-orders-wait", Frequency.SECOND, 0),
                new Sample("store-new-orders", Frequency.CHECK, 0),
                new Sample("store-new-orders-late", Frequency.SECOND),
                new Sample("partition-refilled", Frequency.CHECK, 5L, 0),
                missing());
    }
}
