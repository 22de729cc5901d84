package dev.rush.bench.growth;

import dev.rush.ledger.sql.SqlArray;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/** Samples of reconciliation's statements. */
final class ReconciliationSamples {
    /** Orders that were stored after Redis was read. */
    private static final int AFTER = 300;
    /** Fewer than the grabs of one rain in the shortest history. */
    private static final int PAGE = 100;
    private static final int AFTER_MAX = 10_000;
    private static final SqlArray SALES = SqlArray.texts(
            IntStream.range(0, History.SALES).mapToObj(History::saleName).toList());
    private static final SqlArray MONTHS =
            SqlArray.integers(IntStream.of(History.MONTHS).boxed().toList());
    private static final List<Integer> PARTITIONS =
            IntStream.range(0, History.PARTITIONS).boxed().toList();

    private ReconciliationSamples() {
    }

    static List<Sample> of(History history) {
        List<Sample> samples = new ArrayList<>();
        samples.add(new Sample("sales-in-books", Frequency.CHECK, SALES));
        samples.add(new Sample("items-of-sales", Frequency.CHECK, SALES));
        samples.add(new Sample("sums-of-sales", Frequency.CHECK, SALES));
        samples.add(new Sample("failed-of-sales", Frequency.CHECK, SALES));
        SqlArray numbers = SqlArray.longs(PARTITIONS,
                partition -> history.lastSeq(partition) - AFTER);
        SqlArray times = SqlArray.longs(PARTITIONS, partition -> 0L);
        samples.add(new Sample("orders-after", Frequency.CHECK, SqlArray.integers(PARTITIONS),
                numbers, times, MONTHS, AFTER_MAX, MONTHS));
        samples.add(new Sample("rejected-after", Frequency.CHECK,
                SqlArray.integers(PARTITIONS), numbers, times, MONTHS, AFTER_MAX));
        rains(history, samples);
        recount(samples);
        retention(samples);
        samples.add(new Sample("book-subjects", Frequency.CHECK, SqlArray.integers(List.of())));
        samples.add(new Sample("take-lead", Frequency.CHECK, "books", "pod", 1_000L));
        samples.add(new Sample("drop-lead", Frequency.CHECK, "books", "pod"));
        return samples;
    }

    private static void retention(List<Sample> samples) {
        samples.add(new Sample("retirable-sales", Frequency.CHECK, 1L));
        samples.add(new Sample("retirable-rains", Frequency.CHECK, 1L));
        samples.add(new Sample("noted-sales", Frequency.CHECK, 1L));
        samples.add(new Sample("noted-rains", Frequency.CHECK, 1L));
        samples.add(new Sample("begin-retiring-sale", Frequency.CHECK, 1L, "sale-0"));
        samples.add(new Sample("begin-retiring-rain", Frequency.CHECK, 1L, "rain-0"));
        samples.add(new Sample("end-retiring-sale", Frequency.CHECK, true, true, "sale-0"));
        samples.add(new Sample("end-retiring-rain", Frequency.CHECK, true, true, "rain-0"));
        samples.add(new Sample("forget-replayed", Frequency.CHECK));
    }

    private static void rains(History history, List<Sample> samples) {
        int month = History.MONTHS[0];
        long seq = history.lastSeq(0) + history.grabs() / History.RAINS - PAGE;
        samples.add(new Sample("rain-in-books", Frequency.CHECK, "rain-0"));
        samples.add(new Sample("grabs-after", Frequency.CHECK, month, 0, seq, 0L, AFTER_MAX,
                month, 0, seq, 0L, AFTER_MAX));
        samples.add(new Sample("failed-of-rain", Frequency.CHECK, "rain-0"));
        samples.add(new Sample("grabs-known", Frequency.CHECK, SqlArray.ids(
                IntStream.range(0, PAGE).mapToObj(History::grabId).toList()), month, month));
    }

    private static void recount(List<Sample> samples) {
        int month = History.MONTHS[0];
        samples.add(new Sample("subjects-to-recount", Frequency.CHECK));
        samples.add(new Sample("known-recount-drift", Frequency.CHECK));
        samples.add(new Sample("note-recount", Frequency.CHECK, "sale-0", 0L, 1L));
        samples.add(new Sample("month-of-subject", Frequency.CHECK, "sale-0", "sale-0"));
        samples.add(new Sample("orders-freed", Frequency.CHECK, SqlArray.ids(
                IntStream.range(0, AFTER).mapToObj(History::id).toList()), month));
        samples.add(new Sample("sums-of-rain", Frequency.CHECK, "rain-0"));
        samples.add(new Sample("grabs-added-up", Frequency.CHECK, month, "rain-0", 0L,
                PAGE));
        samples.add(new Sample("rejected-grabs-added-up", Frequency.CHECK, month, "rain-0", "",
                "", new UUID(0, 0), PAGE / 10));
    }
}
