package dev.rush.ledger;

import java.util.Locale;

/** The status of an order. */
public enum OrderStatus {
    /** Must be paid by a deadline. */
    RESERVED,
    CONFIRMED,
    /** A guard of the ledger rejected it. */
    REJECTED,
    /** It was not paid in time. */
    EXPIRED,
    RETURNED;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** The status as spelled for clients and in the ledger. */
    public String text() {
        return text;
    }

    /** The status for its spelling. */
    public static OrderStatus of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    /** Whether no other status follows it. */
    public boolean isFinal() {
        return this == REJECTED || isEnded();
    }

    /** Whether its units are credited, or owed to Redis. */
    public boolean isEnded() {
        return this == EXPIRED || this == RETURNED;
    }
}
