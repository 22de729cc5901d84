package dev.rush.ledger.writer;

import dev.rush.ledger.writer.StreamEntry.Purchase;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The guards that hold whatever Redis lost: one order per key, no user exceeds a limit, and no item
 * is sold beyond its total. Orders are decided one by one, earlier ones first; each that passes
 * counts for those after it.
 */
final class Verdicts {

    private static final String FIRST = "";

    private final Map<String, Terms> terms;
    private final Holdings holdings;
    private final @Nullable Map<Item, Long> left;

    /**
     * The guards of one batch.
     *
     * @param left unsold units of each item; null if PostgreSQL will check whether they suffice
     */
    Verdicts(Map<String, Terms> terms, Holdings holdings, @Nullable Map<Item, Long> left) {
        this.terms = terms;
        this.holdings = holdings;
        this.left = left == null ? null : new HashMap<>(left);
    }

    /** An item of a sale. Comparable, so that all transactions lock in the same order. */
    record Item(String sale, String sku) implements Comparable<Item> {

        @Override
        public int compareTo(Item other) {
            int bySale = sale.compareTo(other.sale);
            return bySale != 0 ? bySale : sku.compareTo(other.sku);
        }
    }

    /**
     * The claim of an order, or why it is refused.
     *
     * @param claim   as in the table of orders; null for nothing
     * @param refusal null if it passes
     */
    record Verdict(@Nullable String claim, @Nullable String refusal) {
    }

    /** Decides an order, and counts it if it passes. */
    Verdict of(Purchase purchase) {
        Terms sale = Terms.of(terms, purchase);
        boolean limited = sale.isLimited();
        Holdings.Held held = limited || purchase.key() != null
                ? holdings.of(purchase.sale(), purchase.user()) : null;
        String refusal = held == null ? null : refusal(purchase, sale, held);
        if (refusal == null && left != null) {
            refusal = take(left, purchase);
        }
        if (refusal != null) {
            return new Verdict(null, refusal);
        }
        String claim = limited && held != null && held.orders() == 0 ? FIRST : purchase.key();
        if (held != null) {
            held.add(purchase.keyOrId(), purchase.quantities(), true);
        }
        return new Verdict(claim, null);
    }

    private static @Nullable String refusal(Purchase purchase, Terms sale, Holdings.Held held) {
        if (held.hasKey(purchase.keyOrId())) {
            return "its idempotency key belongs to another order";
        }
        if (!sale.isLimited()) {
            return null;
        }
        for (Map.Entry<String, Long> line : purchase.quantities().entrySet()) {
            long limit = Objects.requireNonNull(sale.limits().get(line.getKey()));
            if (limit > 0 && held.units(line.getKey()) + line.getValue() > limit) {
                return "the user's limit is reached";
            }
        }
        return held.orders() >= sale.ordersPerUser()
                ? "the user's maximum number of orders is reached" : null;
    }

    /** Subtracts an order's units from what is left: all of them or none. */
    private static @Nullable String take(Map<Item, Long> left, Purchase purchase) {
        for (Map.Entry<String, Long> line : purchase.quantities().entrySet()) {
            if (left.getOrDefault(new Item(purchase.sale(), line.getKey()), 0L)
                    < line.getValue()) {
                return "the total is already sold";
            }
        }
        purchase.quantities().forEach((sku, quantity) ->
                left.merge(new Item(purchase.sale(), sku), -quantity, Long::sum));
        return null;
    }
}
