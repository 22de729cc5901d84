package dev.rush.nemesis.client;

/** What a client asks for. */
public enum Kind {
    PREPARE, PURCHASE, RETURN, CONFIRM, GRAB, PAUSE, RESUME, CLOSE, TOTAL, VIEW, ORDER, BOOKS,
    REPAIR;

    /** Whether it is an operator's change of a sale or rain. */
    public boolean controls() {
        return this == PAUSE || this == RESUME || this == CLOSE || this == TOTAL;
    }
}
