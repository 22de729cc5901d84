package dev.rush.order;

/** What became of an order or grab that somebody waits for. */
public enum Decision {
    /** The ledger has it. */
    STORED,
    /** A guard of the ledger refused it. */
    REJECTED,
    /** Nobody knows in time. */
    UNKNOWN
}
