package dev.rush.bench.growth;

import dev.rush.bench.growth.History.Fate;
import dev.rush.ledger.sql.SqlArray;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Samples of the writer's statements, mostly for one batch of new orders. */
final class WriterSamples {
    /** The first number of new orders, beyond every history. */
    private static final int NEW = 1 << 30;
    private static final int SALE_NUMBER = 0;
    private static final String SALE = History.saleName(SALE_NUMBER);
    private static final String RAIN = "rain-0";
    private static final int MONTH = History.monthOfSale(SALE_NUMBER);
    private static final int PARTITION = History.partitionOfSale(SALE_NUMBER);
    private static final long BLOCK = 1L << 40;
    /** {@code rush.writer.batch} by default. */
    private static final int BATCH = 2_000;
    private static final int REFUSED = 100;
    private static final int PER_USER = 20;
    private static final long PAUSE_MS = 1_000;

    private WriterSamples() {
    }

    static List<Sample> of(History history) {
        List<Sample> samples = new ArrayList<>();
        samples.add(new Sample("fence-partition", Frequency.BATCH, PARTITION, 0L, 1L));
        samples.add(new Sample("items-with-terms", Frequency.CHECK,
                SqlArray.texts(List.of(SALE))));
        samples.add(new Sample("insert-block", Frequency.BATCH, MONTH, BLOCK, 1, PARTITION, 1L,
                1L, 2L, 0, History.BLOCK_ORDERS, SqlArray.texts(List.of(SALE))));
        SqlArray sale = SqlArray.texts(List.of(SALE));
        SqlArray sku = SqlArray.texts(List.of("apple"));
        samples.add(new Sample("lock-items-left", Frequency.BATCH, sale, sku));
        samples.add(new Sample("sell-items", Frequency.BATCH, sale, sku, ones(1)));
        orders(samples);
        buyers(history, samples);
        grabs(samples);
        retries(samples);
        return samples;
    }

    private static SqlArray longs(int count, LongUnaryOperator number) {
        return SqlArray.longs(LongStream.range(0, count).boxed().toList(),
                number::applyAsLong);
    }

    private static SqlArray ones(int count) {
        return longs(count, one -> 1);
    }

    private static SqlArray texts(int count, String text) {
        return SqlArray.texts(IntStream.range(0, count).mapToObj(one -> text).toList());
    }

    private static SqlArray ids(int count) {
        return SqlArray.ids(IntStream.range(NEW, NEW + count).mapToObj(History::id).toList());
    }

    private static SqlArray users(int count) {
        return SqlArray.texts(IntStream.range(NEW, NEW + count)
                .mapToObj(WriterSamples::newUser).toList());
    }

    private static String newUser(int order) {
        return "new-" + Integer.toHexString(Integer.reverse(order));
    }

    private static void orders(List<Sample> samples) {
        samples.add(new Sample("store-orders", Frequency.BATCH, rows(order -> List.of(
                History.id(order), MONTH, BLOCK, order, History.placedAt(order), 0, PARTITION,
                SALE, newUser(order), "\\N", "=", "apple:1", "1", ""))));
        samples.add(new Sample("store-reservations", Frequency.BATCH, rows(order -> List.of(
                PARTITION, History.placedAt(order), History.id(order), MONTH, SALE,
                newUser(order), "apple:1"))));
        samples.add(new Sample("insert-rejected", Frequency.BATCH, MONTH, PARTITION,
                ids(REFUSED), longs(REFUSED, one -> BLOCK), ones(REFUSED), ones(REFUSED),
                ones(REFUSED), texts(REFUSED, SALE), users(REFUSED), texts(REFUSED, null),
                texts(REFUSED, "="), texts(REFUSED, "apple:1"), texts(REFUSED, "1"),
                texts(REFUSED, "limit"), 1, "service:guard"));
        samples.add(new Sample("store-ended-orders", Frequency.CHECK, MONTH, PARTITION, SALE,
                true, MONTH, SALE, ids(REFUSED), ones(REFUSED), ones(REFUSED), users(REFUSED),
                texts(REFUSED, null), texts(REFUSED, "="), texts(REFUSED, "apple:1"),
                texts(REFUSED, "1"), MONTH, SALE, MONTH, 1, PARTITION, SALE));
        samples.add(new Sample("lock-partition-behind", Frequency.CHECK, PARTITION));
        samples.add(new Sample("known-refusals", Frequency.BATCH, ids(BATCH), MONTH));
    }

    private interface Row {

        List<Object> of(int order);
    }

    private static Object[] rows(Row row) {
        return IntStream.range(NEW, NEW + BATCH).mapToObj(order -> row.of(order).stream()
                .map(String::valueOf).collect(Collectors.joining("\t"))).toArray();
    }

    /** Adds samples with buyers who have bought before, also in the shortest history. */
    private static void buyers(History history, List<Sample> samples) {
        List<Integer> earlier = IntStream.iterate(history.first(Fate.PLAIN), order -> order + 1)
                .filter(order -> History.sale(order).equals(SALE)).limit(REFUSED).boxed()
                .toList();
        SqlArray users = SqlArray.texts(earlier, History::user);
        samples.add(new Sample("holdings-of-buyers", Frequency.BATCH, users, MONTH, MONTH, SALE,
                PER_USER));
        samples.add(new Sample("taken-keys", Frequency.BATCH, users,
                SqlArray.texts(earlier, order -> "key-" + order), MONTH, SALE));
        samples.add(new Sample("taken-ids", Frequency.BATCH, ids(REFUSED), MONTH, SALE));
    }

    private static Object[] grabRows(Object... last) {
        List<Object> parameters = new ArrayList<>(List.of(History.MONTHS[0], 0, RAIN,
                ids(REFUSED), longs(REFUSED, one -> BLOCK), ones(REFUSED), ones(REFUSED),
                longs(REFUSED, one -> NEW + one), ones(REFUSED), ones(REFUSED),
                users(REFUSED), texts(REFUSED, null)));
        parameters.addAll(List.of(last));
        return parameters.toArray();
    }

    private static void grabs(List<Sample> samples) {
        samples.add(new Sample("lock-rain-left", Frequency.BATCH, RAIN));
        samples.add(new Sample("known-grabs", Frequency.BATCH, ids(BATCH),
                History.MONTHS[0], History.MONTHS[0]));
        samples.add(new Sample("taken-grab-ids", Frequency.BATCH,
                SqlArray.ids(IntStream.range(0, REFUSED).mapToObj(History::grabId).toList()),
                History.MONTHS[0], RAIN));
        samples.add(new Sample("store-grabs", Frequency.BATCH, grabRows()));
        samples.add(new Sample("insert-rejected-grabs", Frequency.BATCH,
                grabRows(texts(REFUSED, "number"), 1, "service:guard")));
        samples.add(new Sample("book-grabs", Frequency.BATCH, 1L, 1L, 0L, 0L, RAIN));
    }

    private static void retries(List<Sample> samples) {
        UUID order = History.id(NEW);
        samples.add(new Sample("retry-later", Frequency.CALL, PARTITION, "print", "purchase",
                SALE, order.toString(), "user", null, 1L, 1L, "{}", "r", 1, "retrying",
                PAUSE_MS));
        samples.add(new Sample("retries-due", Frequency.SECOND, PARTITION, REFUSED));
        samples.add(new Sample("next-retry", Frequency.SECOND, PARTITION));
        samples.add(new Sample("retry-again", Frequency.CALL, 2, "r", "retrying", PAUSE_MS, 1L));
        samples.add(new Sample("retry-done", Frequency.CALL, 1L));
        samples.add(new Sample("count-waiting-retries", Frequency.CHECK));
        samples.add(new Sample("waiting-retries", Frequency.CALL, REFUSED));
        samples.add(new Sample("waiting-retry", Frequency.CALL, 1L));
        samples.add(new Sample("mark-retry-replayed", Frequency.CALL, 1L, 1L));
    }
}
