package dev.rush.order;

import org.jspecify.annotations.Nullable;

/** The ledger's decision about an order or grab that a caller waits for. */
public enum Decision {
    /** The ledger has it. */
    STORED,
    /** A guard of the ledger rejected it. */
    REJECTED,
    /** Not known in time. */
    UNKNOWN;

    /** The decision from whether the ledger rejected it; null if the ledger does not have it. */
    static Decision of(@Nullable Boolean rejected) {
        return rejected == null ? UNKNOWN : rejected ? REJECTED : STORED;
    }
}
