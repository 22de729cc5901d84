package dev.rush.ledger;

import dev.rush.http.Caller;

/**
 * The actor of a change, spelled {@code role:name}.
 *
 * @param text {@code operator:}, {@code payer:} or {@code buyer:} and a user's name, or
 *             {@code service:} and a part of the service
 */
public record Actor(String text) {

    private static final String BUYER = "buyer:";

    /** The caller, in the role with the most rights. */
    public static Actor of(Caller caller) {
        return new Actor(caller.actor());
    }

    /**
     * A part of the service that acts without a caller: {@code expiry}, {@code guard} and so on.
     */
    public static Actor service(String part) {
        return new Actor("service:" + part);
    }

    /** The part before the name. */
    public String role() {
        return text.substring(0, text.indexOf(':'));
    }

    /** Whether this is a buyer. */
    public boolean isBuyer() {
        return text.startsWith(BUYER);
    }
}
