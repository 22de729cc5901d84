package dev.rush.bench.growth;

import dev.rush.ledger.sql.SqlArray;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Samples of the statements for events, webhooks and sinks. */
final class EventSamples {
    private static final SqlArray MONTHS =
            SqlArray.integers(IntStream.of(History.MONTHS).boxed().toList());
    private static final String ALL = Long.toString(Long.MAX_VALUE);
    private static final int PAGE = 250;
    private static final int BLOCKS = 10;

    private EventSamples() {
    }

    static List<Sample> of(History history) {
        int month = History.month(0);
        // The last one, because the first ones fill gaps that earlier COPYs left.
        int restored = history.restoredBlock(history.restored() - 1);
        List<UUID> ids = IntStream.range(0, PAGE).filter(order -> History.month(order) == month)
                .mapToObj(History::id).toList();
        return List.of(
                new Sample("event-blocks", Frequency.CALL, MONTHS, 1, "0", ALL, BLOCKS),
                new Sample("event-orders", Frequency.CALL,
                        integers(History.month(0), History.MONTHS[0]), longs(0, restored),
                        integers(History.partition(0), 0), longs(History.seq(0), 0),
                        longs(History.seq(History.BLOCK_ORDERS - 1), 0), MONTHS, MONTHS),
                new Sample("event-grabs", Frequency.CALL,
                        integers(History.MONTHS[0], History.MONTHS[0]),
                        longs(history.blocks(), restored), integers(0, 0),
                        longs(history.lastSeq(0) + 1, 0), longs(history.lastSeq(0) + PAGE, 0),
                        MONTHS, MONTHS, MONTHS, MONTHS),
                new Sample("event-steps", Frequency.CALL, MONTHS, 1, "0", 0L, ALL, PAGE),
                new Sample("event-stepped-orders", Frequency.CALL, month,
                        SqlArray.ids(ids), month, month),
                new Sample("event-changes", Frequency.CALL, 1, "0", 0L, ALL, PAGE / 5),
                new Sample("event-step-exists", Frequency.CALL, MONTHS, 1, "0", 0L, 1, "0", 0L),
                new Sample("event-block-exists", Frequency.CALL, MONTHS, 1, "0", false, 1L, 1L),
                new Sample("months-of-archived-events", Frequency.CALL),
                new Sample("last-archive-run", Frequency.CALL),
                new Sample("archived-since", Frequency.CALL, 0, 1, 1L, 1L),
                new Sample("archived-month-ends-at", Frequency.CALL, 1, 1L, 1L),
                new Sample("webhooks", Frequency.SECOND),
                new Sample("webhook", Frequency.SECOND, "hook"),
                new Sample("lock-webhooks", Frequency.CALL),
                new Sample("insert-webhook", Frequency.CALL, "new", "https://a.example/",
                        SqlArray.texts(List.of("dev.rush.*")), "s", 1, 1L, 1L),
                new Sample("change-webhook", Frequency.CALL, "https://a.example/",
                        SqlArray.texts(List.of("dev.rush.*")), "hook"),
                new Sample("rotate-secret", Frequency.CALL, "t", "hook", "t"),
                new Sample("delete-webhook", Frequency.CALL, "none"),
                new Sample("move-webhook", Frequency.SECOND, 1, 2L, 2L, "hook", 1, 1L, 1L),
                new Sample("sink", Frequency.SECOND, "kafka"),
                new Sample("insert-sink", Frequency.CALL, "new", 1, 1L, 1L),
                new Sample("move-sink", Frequency.SECOND, 1, 2L, 2L, "kafka", 1, 1L, 1L),
                new Sample("due-deliveries", Frequency.SECOND, "hook", 32),
                new Sample("waiting-subjects", Frequency.SECOND, "hook"),
                insert(),
                new Sample("delete-delivery", Frequency.SECOND, 1L),
                new Sample("retry-delivery", Frequency.SECOND, 2, 500, "no", 5_000L, 9_000L, 1L),
                new Sample("prune-deliveries", Frequency.SECOND, "hook", 100),
                new Sample("redeliver", Frequency.CALL, "hook", 1L),
                new Sample("list-deliveries", Frequency.CALL, "hook",
                        SqlArray.texts(List.of("failed")), 100),
                new Sample("one-delivery", Frequency.CALL, "hook", 1L));
    }

    private static Sample insert() {
        return new Sample("insert-deliveries", Frequency.SECOND, "hook", texts("e"),
                texts("dev.rush.order.confirmed"), texts("s"), texts("2026-01-01T00:00:00Z"),
                texts("{}"), integers(1), longs(5_000), integers(500), texts("no"));
    }

    private static SqlArray integers(int... numbers) {
        return SqlArray.integers(IntStream.of(numbers).boxed().toList());
    }

    private static SqlArray longs(long... numbers) {
        return SqlArray.longs(LongStream.of(numbers).boxed().toList(), value -> value);
    }

    private static SqlArray texts(String text) {
        return SqlArray.texts(List.of(text));
    }
}
