package dev.rush.nemesis.client;

/** A kind of call. */
public enum Kind {
    PREPARE, PURCHASE, RETURN, CONFIRM, GRAB, PAUSE, RESUME, CLOSE, TOTAL, VIEW, ORDER, BOOKS,
    REPAIR;

    /** Returns whether it takes units of a sale or envelopes of a rain. */
    public boolean takes() {
        return this == PURCHASE || this == GRAB;
    }

    /** Returns whether an operator changes a sale or rain by it. */
    public boolean controls() {
        return this == PAUSE || this == RESUME || this == CLOSE || this == TOTAL;
    }
}
