package dev.rush.bench.growth;

import dev.rush.ledger.sql.SqlArray;
import java.util.List;
import java.util.stream.IntStream;

/** Samples of the statements for losses. */
final class LossSamples {
    /** The sequence numbers that a failover has lost. */
    private static final int LOST = 500;

    private LossSamples() {
    }

    static List<Sample> of(History history) {
        SqlArray months = SqlArray.integers(IntStream.of(History.MONTHS).boxed().toList());
        long high = history.lastSeq(0);
        long low = high - LOST;
        return List.of(new Sample("lock-loss", Frequency.SECOND, 0),
                new Sample("same-loss", Frequency.SECOND, 1L, 2L, true, 0L, low, 0, high),
                new Sample("widen-loss", Frequency.SECOND, 1L, 2L, 0L, 1L, true, 0L, 1L),
                new Sample("enter-loss", Frequency.SECOND, 0, low, high, 0L, 1L, false, 0L),
                new Sample("losses-to-repair", Frequency.SECOND, SqlArray.integers(List.of())),
                new Sample("loss-restored", Frequency.SECOND, true, 1L, 0L),
                new Sample("known-of-loss", Frequency.SECOND, months, 0, low, high, months, 0,
                        low, high, months, 0, low, high, months, 0, low, high, 0, low, high, 0,
                        low, high, 1L, Long.MAX_VALUE, Long.MAX_VALUE),
                new Sample("count-loss", Frequency.SECOND, low, high, 1L, 1L, low, high,
                        0L, 1L, 0L),
                new Sample("note-skipped", Frequency.CHECK, 0, 1L, 2L, 1L),
                new Sample("last-seqs", Frequency.CHECK),
                new Sample("is-loss-known", Frequency.CHECK, 0, 0L, high));
    }
}
