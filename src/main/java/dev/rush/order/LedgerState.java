package dev.rush.order;

/** The ledger's states of a sale or rain. */
public final class LedgerState {

    private LedgerState() {
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
