package dev.rush.ledger;

import java.util.Locale;

/** What an order is now. */
public enum OrderStatus {
    /** To be paid by a time. */
    RESERVED,
    CONFIRMED,
    /** A guard refused it when it was to be stored. */
    REJECTED,
    /** It was not paid in time. */
    EXPIRED,
    RETURNED;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** As clients and the ledger spell it. */
    public String text() {
        return text;
    }

    /** Whether its units are given back, or owed to Redis. */
    public boolean isEnded() {
        return this == EXPIRED || this == RETURNED;
    }
}
