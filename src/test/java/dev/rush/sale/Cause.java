package dev.rush.sale;

import java.util.EnumSet;
import java.util.Set;

/** Why a purchase may not be newly accepted, in the order of the contract. */
enum Cause {
    UNAUTHENTICATED("unauthenticated"),
    INVALID_REQUEST("invalid-request", "plain:0"),
    RATE_LIMITED("rate-limited"),
    BLOCKED("blocked"),
    REPLAYED("replayed"),
    KEY_REUSED("key-reused"),
    ORDER_RETURNED("order-returned"),
    UNKNOWN_SALE("unknown-sale"),
    UNKNOWN_ITEM("unknown-item", "melon:1"),
    PAUSED("paused"),
    NOT_OPEN("not-open"),
    CLOSED("closed"),
    DUPLICATE_SUBMISSION("duplicate-submission"),
    LIMIT_REACHED("limit-reached", "limited:1"),
    SOLD_OUT("sold-out", "single:1"),
    INSUFFICIENT_STOCK("insufficient-stock", "triple:2"),
    BACKLOGGED("backlogged");

    /** The items of a sale in which every cause can occur. */
    static final String ITEMS = "plain:100:0,limited:100:1,single:1:0,triple:3:0";
    /** Causes whose line can be bought only once. */
    static final Set<Cause> ONCE = EnumSet.of(LIMIT_REACHED, SOLD_OUT, INSUFFICIENT_STOCK);

    private static final Set<Cause> KEY_STATES = EnumSet.of(REPLAYED, KEY_REUSED, ORDER_RETURNED);

    private final String word;
    private final String line;

    Cause(String word) {
        this(word, null);
    }

    Cause(String word, String line) {
        this.word = word;
        this.line = line;
    }

    String word() {
        return word;
    }

    /** The line of a purchase that leads to it, or null. */
    String line() {
        return line;
    }

    /** Whether this and a later cause can apply to one request. */
    boolean meets(Cause later) {
        if (KEY_STATES.contains(this) && KEY_STATES.contains(later)) {
            return false; // A key has one state.
        }
        if (this == UNKNOWN_SALE || later == UNKNOWN_SALE && compareTo(REPLAYED) >= 0) {
            return false; // An unknown sale has no keys, items or state.
        }
        if (this == INVALID_REQUEST && later == REPLAYED) {
            return false; // An accepted purchase was valid.
        }
        return !(this == REPLAYED && later == UNKNOWN_ITEM); // Its items still exist.
    }

    @Override
    public String toString() {
        return word;
    }
}
