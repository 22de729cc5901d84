package dev.rush.order;

/** What became of an order or grab that somebody waits for. */
public enum Decision {
    /** The ledger has it. */
    STORED,
    /** A guard of the ledger refused it. */
    REJECTED,
    /** Nobody knows in time. */
    UNKNOWN;

    /** Of what the ledger has, by whether it refused it; null for what it does not have. */
    static Decision of(Boolean rejected) {
        return rejected == null ? UNKNOWN : rejected ? REJECTED : STORED;
    }
}
