package dev.rush.bench.growth;

import java.util.Locale;

/** How often a statement runs. */
enum Frequency {
    TRANSACTION,
    BATCH,
    CALL,
    SECOND,
    /** Per book check, report, repair or retention round. */
    CHECK;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
