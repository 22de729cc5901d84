package dev.rush.ledger;

import java.util.Locale;

/** The ledger's states of a sale or rain. */
public enum OfferState {
    /** The ledger knows it, Redis perhaps. */
    PREPARING,
    /** It is on sale, or was and Redis keeps it still. */
    LOADED,
    /** It is over, and Redis soon keeps it no longer. */
    RETIRING,
    /** Redis keeps it no longer. */
    RETIRED,
    /** Its orders are in no table of the ledger any more. */
    ARCHIVED;

    /** The state that the ledger spells so. */
    static OfferState of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    /** Whether it is over and Redis keeps it no longer, or soon will not. */
    public boolean isRetired() {
        return compareTo(RETIRING) >= 0;
    }
}
