package dev.rush.sale;

import java.util.EnumSet;
import java.util.Set;

/** Why a purchase may not be accepted anew, in the order in which the contract judges. */
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

    /** The items of the sale in which every cause can come about. */
    static final String ITEMS = "plain:100:0,limited:100:1,single:1:0,triple:3:0";
    /** What the cause's line asks for cannot be bought twice. */
    static final Set<Cause> ONCE = EnumSet.of(LIMIT_REACHED, SOLD_OUT, INSUFFICIENT_STOCK);

    private static final Set<Cause> OF_THE_KEY = EnumSet.of(REPLAYED, KEY_REUSED, ORDER_RETURNED);

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

    /** The line of a purchase that brings it about, or null. */
    String line() {
        return line;
    }

    /** Whether both can hold of one request. The other is a later one. */
    boolean meets(Cause later) {
        if (OF_THE_KEY.contains(this) && OF_THE_KEY.contains(later)) {
            return false; // A key has one state.
        }
        if (this == UNKNOWN_SALE || later == UNKNOWN_SALE && compareTo(REPLAYED) >= 0) {
            return false; // A sale that is not there has neither keys nor items nor a state.
        }
        if (this == INVALID_REQUEST && later == REPLAYED) {
            return false; // What was accepted was valid.
        }
        return !(this == REPLAYED && later == UNKNOWN_ITEM); // And its items are still there.
    }

    @Override
    public String toString() {
        return word;
    }
}
