package dev.rush.bench.growth;

import java.util.List;

/** Samples of what repairs run. */
final class RepairSamples {
    private static final String SALE = History.saleName(0);

    private RepairSamples() {
    }

    static List<Sample> of() {
        return List.of(new Sample("failed-of-sale", Frequency.CHECK, SALE),
                new Sample("failed-of-partition", Frequency.CHECK, 0, 0L),
                new Sample("failed-ids-of-sale", Frequency.CHECK, SALE),
                new Sample("version-of-total", Frequency.CHECK, SALE, "apple"),
                new Sample("sale-rebuilt", Frequency.CHECK, SALE),
                new Sample("last-seqs-of-sale", Frequency.CHECK, SALE),
                new Sample("items-rebuilt", Frequency.CHECK, SALE),
                new Sample("refused-keys", Frequency.CHECK, SALE, History.monthOfSale(0)));
    }
}
