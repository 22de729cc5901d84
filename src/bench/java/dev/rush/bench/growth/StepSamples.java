package dev.rush.bench.growth;

import dev.rush.bench.growth.History.Fate;
import dev.rush.ledger.sql.SqlArray;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/** Samples of the statements that change stored orders. */
final class StepSamples {
    private static final int LIMIT = 100;
    private static final List<Integer> PARTITIONS =
            IntStream.range(0, History.PARTITIONS).boxed().toList();

    private StepSamples() {
    }

    static List<Sample> of(History history) {
        List<Sample> samples = new ArrayList<>();
        steps(history, samples);
        reservations(history, samples);
        credits(history, samples);
        samples.add(new Sample("lower-items", Frequency.SECOND,
                SqlArray.texts(List.of(History.saleName(0))), SqlArray.texts(List.of("apple")),
                SqlArray.longs(List.of(1L), units -> units)));
        return samples;
    }

    private static void steps(History history, List<Sample> samples) {
        int plain = history.first(Fate.PLAIN);
        int month = History.month(plain);
        SqlArray nothing = SqlArray.texts(Collections.singletonList(null));
        samples.add(new Sample("insert-steps", Frequency.CALL, month, 1,
                SqlArray.ids(List.of(History.id(plain))), SqlArray.integers(List.of(1)),
                SqlArray.texts(List.of("returned")),
                SqlArray.integers(List.of(History.partition(plain))),
                SqlArray.texts(List.of(History.sale(plain))),
                SqlArray.longs(List.of(0L), block -> block),
                SqlArray.texts(List.of("buyer:user")), nothing, nothing,
                new SqlArray("int8", new Object[1]), nothing, month, 1, month, 1));
    }

    private static void reservations(History history, List<Sample> samples) {
        int open = history.first(Fate.OPEN);
        int partition = History.partition(open);
        samples.add(new Sample("expire-due", Frequency.SECOND, partition, Long.MAX_VALUE,
                partition, LIMIT, partition, 1, "service:expiry"));
        samples.add(new Sample("take-reservation", Frequency.CALL, partition,
                history.payBy(open), History.id(open)));
        samples.add(new Sample("earliest-due", Frequency.SECOND, SqlArray.integers(PARTITIONS),
                0L));
        int held = IntStream.iterate(open, order -> order + 1).filter(History::isHeld)
                .findFirst().orElseThrow();
        samples.add(new Sample("release-reservation", Frequency.CALL, History.partition(held),
                history.payBy(held), History.id(held)));
        samples.add(new Sample("release-reservations", Frequency.CALL, History.sale(held), 0L,
                LIMIT));
        samples.add(new Sample("held-reservations", Frequency.CALL, History.sale(held), 1_000));
        samples.add(new Sample("count-held", Frequency.CHECK, History.sale(held)));
    }

    private static void credits(History history, List<Sample> samples) {
        int other = history.first(Fate.CONFIRMED);
        List<Integer> owed = history.owed(LIMIT);
        SqlArray months = SqlArray.integers(owed.stream().map(History::month).toList());
        List<UUID> ids = owed.stream().map(History::id).toList();
        samples.add(new Sample("owe-credit", Frequency.CALL, History.id(other),
                History.month(other), 1, false, "payer:p", History.sale(other), History.user(other),
                "apple:1", History.partition(other)));
        samples.add(new Sample("credits-due", Frequency.SECOND, SqlArray.integers(PARTITIONS),
                LIMIT));
        samples.add(new Sample("credits-later", Frequency.SECOND, months, SqlArray.ids(ids)));
        samples.add(new Sample("credits-done", Frequency.SECOND, months, SqlArray.ids(ids),
                SqlArray.texts(owed, order -> "credited"), 1, "service:credits"));
    }
}
