package dev.rush.bench.growth;

import java.util.Locale;

/** How often a statement runs. */
enum Frequency {
    TRANSACTION,
    BATCH,
    CALL,
    SECOND,
    /** Per round of the books, report, repair or retention. */
    CHECK;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
