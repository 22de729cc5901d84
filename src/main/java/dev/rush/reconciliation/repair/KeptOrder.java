package dev.rush.reconciliation.repair;

import dev.rush.ledger.Order;
import dev.rush.ledger.OrderStatus;
import dev.rush.order.BuyerRecord;

/** An order of the ledger's as Redis has to know it. */
final class KeptOrder {

    private KeptOrder() {
    }

    /** How Redis marks it: by how its units were given back, or a. */
    static String state(Order order) {
        return order.status() == OrderStatus.EXPIRED ? "e"
                : order.status() == OrderStatus.RETURNED ? "c" : "a";
    }

    /** The client's key, or empty where its id is its key. */
    static String key(Order order) {
        return order.key() == null ? "" : order.key();
    }

    /** Its line in its user's record. The ledger has it, so it waits nowhere. */
    static String line(Order order, String state) {
        return new BuyerRecord.Line(state, order.id().toString(), key(order), order.digest(),
                order.lines(), order.lefts(), order.placedAt(), order.payBy(), 0).text();
    }
}
