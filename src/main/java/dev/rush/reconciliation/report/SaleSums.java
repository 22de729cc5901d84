package dev.rush.reconciliation.report;

import dev.rush.ledger.Sums.Column;
import java.util.Map;

/**
 * What the ledger knew of a sale at one instant.
 *
 * @param state   as the ledger spells it
 * @param lost    accepted orders of its partitions that no store knows, since it was prepared
 * @param after   of the sums, what Redis accepted after it was read
 * @param failed  units of orders that could not be stored, of before that
 * @param waiting units of orders in the stream that the ledger does not have
 * @param full    whether more came after than is read, so that no drift can be said
 */
public record SaleSums(String state, int month, long lost, Map<String, Item> items,
        Map<Place, Units> sums, Map<Place, Units> after, Map<Place, Long> failed,
        Map<Place, Long> waiting, boolean full) {

    /** An item's total, and how much of it the guard took for sold. */
    record Item(long total, long sold) {
    }

    boolean isLoaded() {
        return state.equals("loaded");
    }

    /** Whether it is over, balanced, and Redis keeps it no longer, or soon will not. */
    boolean isRetired() {
        return state.startsWith("retir") || state.equals("archived");
    }

    /** All partitions together. */
    Units sum(String sku) {
        return sums.entrySet().stream().filter(place -> place.getKey().sku().equals(sku))
                .map(Map.Entry::getValue).reduce(Units.NONE, Units::plus);
    }

    /**
     * By how many units the ledger disagrees with itself: an item's guard with its sums, or, where
     * those agree, the sums with each other.
     */
    long ownDrift(String sku) {
        Units sum = sum(sku);
        long guard = items.get(sku).sold() - sum.of(Column.RESERVED) - sum.of(Column.CONFIRMED);
        boolean impossible = sums.entrySet().stream().anyMatch(place ->
                place.getKey().sku().equals(sku) && place.getValue().isImpossible());
        return guard == 0 && impossible ? 1 : guard;
    }

    /**
     * The books of an item in a shard.
     *
     * @param creditedBefore what the ledger had noted as given back before Redis was read
     */
    BookFormula formula(Place place, long creditedBefore, long ordered, long creditedInRedis) {
        return new BookFormula(sums.getOrDefault(place, Units.NONE),
                after.getOrDefault(place, Units.NONE), creditedBefore,
                failed.getOrDefault(place, 0L), waiting.getOrDefault(place, 0L), ordered,
                creditedInRedis);
    }
}
