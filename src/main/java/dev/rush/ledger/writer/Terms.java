package dev.rush.ledger.writer;

import dev.rush.ledger.writer.StreamEntry.Purchase;
import java.time.Duration;
import java.util.Map;

/**
 * A sale's terms, from the ledger. What an entry of a stream says instead is not believed: whoever
 * can write in Redis could have added it.
 *
 * @param window        milliseconds in which an order is to be paid; 0: it is confirmed at once
 * @param returnsLimit  whether a return gives the user's limit back
 * @param preparedAt    milliseconds of PostgreSQL's clock
 * @param quantityMax   most units of one line
 * @param isLimited     whether a buyer's orders are counted at all: any item has a limit
 * @param limits        sku → most units per user, 0 for any number
 */
record Terms(int month, long window, long ordersPerUser, boolean returnsLimit, long preparedAt,
        long quantityMax, boolean isLimited, Map<String, Long> limits) {

    /** How far Redis's clock may be from PostgreSQL's. */
    private static final long APART_MS = Duration.ofHours(3).toMillis();

    /** By when an order is to be paid; 0 if it need not be. */
    long payBy(Purchase purchase) {
        return window > 0 ? purchase.placedAt() + window : 0;
    }

    /**
     * Why no purchase script of ours can have granted this, or null.
     *
     * @param now PostgreSQL's milliseconds
     */
    String forgery(Purchase purchase, long now) {
        if (!limits.keySet().containsAll(purchase.quantities().keySet())) {
            return "the ledger has no such item of sale " + purchase.sale();
        }
        for (long quantity : purchase.quantities().values()) {
            if (quantity > quantityMax) {
                return "more units than sale " + purchase.sale() + " allows";
            }
        }
        return purchase.placedAt() < preparedAt - APART_MS || purchase.placedAt() > now + APART_MS
                ? "not placed during sale " + purchase.sale() : null;
    }
}
