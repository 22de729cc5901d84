package dev.rush.nemesis.client;

import dev.rush.nemesis.client.Offer.Cart;
import java.util.UUID;

/**
 * One call of a client and what it heard. A run holds a million of these, so texts and carts are
 * shared between them.
 *
 * @param user -1: the operator
 * @param key null: none was sent
 * @param cart of a purchase; null of anything else
 * @param from when it was sent, ns since the run began
 * @param to when its outcome was known
 * @param word the problem's word, or the state that an answer names
 * @param order the order or grab that it is about, as asked or as answered; null: not known
 * @param replayed whether the service said that it repeats an earlier answer
 * @param number a total, an amount, or the digest of an answer that replays must repeat
 * @param sku of a total; of a refusal that names one
 */
public record Operation(Kind kind, Offer offer, int user, String key, Cart cart, long from,
        long to, Outcome outcome, String word, UUID order, boolean replayed, long number,
        String sku) {

    /** Returns whether the purchase or grab was accepted. */
    public boolean accepted() {
        return outcome == Outcome.OK;
    }

    /** Returns whether it may have taken effect. */
    public boolean mayHaveHappened() {
        return outcome == Outcome.OK || outcome == Outcome.UNKNOWN || outcome == Outcome.FAILED
                || isRejected();
    }

    /** Returns whether it took units in Redis, and the ledger refused what it took. */
    private boolean isRejected() {
        return (kind == Kind.PURCHASE || kind == Kind.GRAB) && outcome == Outcome.REFUSED
                && word.equals("rejected");
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
