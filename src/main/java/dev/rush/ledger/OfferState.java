package dev.rush.ledger;

import java.util.Locale;

/** The ledger's states of a sale or rain. */
public enum OfferState {
    /** The ledger has it; Redis may not have it yet. */
    PREPARING,
    /** It is on sale, or was and is still in Redis. */
    LOADED,
    /** It is over, and about to leave Redis. */
    RETIRING,
    /** It has left Redis. */
    RETIRED,
    /** Its orders have left the tables of the ledger. */
    ARCHIVED;

    /** The state for its spelling in the ledger. */
    static OfferState of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    /** Whether it is over and has left Redis, or is about to. */
    public boolean isRetired() {
        return compareTo(RETIRING) >= 0;
    }
}
