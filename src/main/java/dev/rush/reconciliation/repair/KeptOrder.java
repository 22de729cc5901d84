package dev.rush.reconciliation.repair;

import dev.rush.ledger.Order;
import dev.rush.ledger.OrderStatus;
import dev.rush.order.BuyerRecord;

/** Formats an order of the ledger for Redis. */
final class KeptOrder {

    private KeptOrder() {
    }

    /** Its state in Redis: e if it expired, c if it was returned, otherwise a. */
    static String state(Order order) {
        return order.status() == OrderStatus.EXPIRED ? "e"
                : order.status() == OrderStatus.RETURNED ? "c" : "a";
    }

    /** The client's key, or empty if its id is its key. */
    static String key(Order order) {
        return order.key() == null ? "" : order.key();
    }

    /** Its line in its user's record. The ledger has it, so it is not queued. */
    static String line(Order order, String state) {
        return new BuyerRecord.Line(state, order.id().toString(), key(order), order.digest(),
                order.lines(), order.lefts(), order.placedAt(), order.payBy(), 0).text();
    }
}
