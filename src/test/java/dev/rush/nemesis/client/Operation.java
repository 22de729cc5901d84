package dev.rush.nemesis.client;

import dev.rush.nemesis.client.Offer.Cart;
import java.util.UUID;

/**
 * A call of a client and its outcome. A run holds about a million of these, so equal strings and
 * carts are shared.
 *
 * @param user -1 for the operator
 * @param key the idempotency key; null if the client sent none
 * @param cart the cart of a purchase; null for other calls
 * @param from when the call was sent, ns since the run began
 * @param to when its outcome was known, ns since the run began
 * @param word the problem's word, or the state or status in the answer
 * @param order the order or grab that the request or answer names; null if neither does
 * @param replayed whether the answer is marked as a replay
 * @param number the new total, or a digest of everything that a replay must repeat; of a sale's
 *     books 1 if they are inconsistent
 * @param sku the item of a changed total, or the one that a refusal names
 */
public record Operation(Kind kind, Offer offer, int user, String key, Cart cart, long from,
        long to, Outcome outcome, String word, UUID order, boolean replayed, long number,
        String sku) {

    /** Returns whether the call succeeded. */
    public boolean accepted() {
        return outcome == Outcome.OK;
    }

    /** Returns whether the call may have taken effect. */
    public boolean mayHaveHappened() {
        return outcome == Outcome.OK || outcome == Outcome.UNKNOWN || outcome == Outcome.FAILED
                || isRejected();
    }

    /** Returns whether Redis accepted the order or grab and the ledger rejected it. */
    private boolean isRejected() {
        return kind.takes() && outcome == Outcome.REFUSED && word.equals("rejected");
    }

    /** Returns the user's name. */
    public String userName() {
        return "u" + user;
    }

    @Override
    public String toString() {
        return "%s %s user %d key %s %s at %.3f–%.3f s: %s %s %s".formatted(kind, offer.id(), user,
                key, cart == null ? "" : cart.lines(), from / 1e9, to / 1e9, outcome, word,
                order == null ? "" : order);
    }
}
