package dev.rush.ledger.writer;

import dev.rush.ledger.writer.StreamEntry.Purchase;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A sale's terms, from the ledger. Stream entries that contradict them are not trusted, because
 * anyone who can write to Redis could have added them.
 *
 * @param window        milliseconds within which an order must be paid; 0 if confirmed at once
 * @param returnsLimit  whether a return frees the user's limit
 * @param preparedAt    milliseconds of PostgreSQL's clock
 * @param quantityMax   maximum units of one line
 * @param isLimited     whether a buyer's orders are counted at all: any item has a limit
 * @param limits        sku → maximum units per user; 0 if unlimited
 */
record Terms(int month, long window, long ordersPerUser, boolean returnsLimit, long preparedAt,
        long quantityMax, boolean isLimited, Map<String, Long> limits) {

    /** Maximum difference between Redis's clock and PostgreSQL's. */
    private static final long APART_MS = Duration.ofHours(3).toMillis();

    /** The terms of a purchase that was checked, so that its sale is known. */
    static Terms of(Map<String, Terms> known, Purchase purchase) {
        return Objects.requireNonNull(known.get(purchase.sale()));
    }

    /** The payment deadline of an order; 0 if there is none. */
    long payBy(Purchase purchase) {
        return window > 0 ? purchase.placedAt() + window : 0;
    }

    /**
     * Why the purchase script cannot have granted this, or null.
     *
     * @param now PostgreSQL's milliseconds
     */
    @Nullable String forgery(Purchase purchase, long now) {
        if (!limits.keySet().containsAll(purchase.quantities().keySet())) {
            return "the ledger has no such item in sale " + purchase.sale();
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
