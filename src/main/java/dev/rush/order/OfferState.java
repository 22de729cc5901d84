package dev.rush.order;

/** The states in which the ledger keeps a sale or rain. */
public final class OfferState {

    private OfferState() {
    }

    /** Whether it is on sale, or was and Redis keeps it still. */
    public static boolean isLoaded(String state) {
        return state.equals("loaded");
    }

    /** Whether it is over and Redis keeps it no longer, or soon will not. */
    public static boolean isRetired(String state) {
        return state.equals("retiring") || state.equals("retired");
    }
}
