package dev.rush.reconciliation.report;

import dev.rush.ledger.Sums.Column;
import java.util.Map;
import java.util.Objects;

/**
 * The ledger's data of a sale at one instant.
 *
 * @param state   as spelled in the ledger
 * @param lost    accepted orders of its partitions, since it was prepared, that no store has
 * @param after   the part of the sums that Redis accepted after it was read
 * @param failed  units of earlier orders that could not be stored
 * @param waiting units of orders in the stream that the ledger does not have
 * @param full    whether there were too many later orders, so that no drift can be reported
 */
public record SaleSums(String state, int month, long lost, Map<String, Item> items,
        Map<Place, Units> sums, Map<Place, Units> after, Map<Place, Long> failed,
        Map<Place, Long> waiting, boolean full) {

    /** An item's total, and how much of it the guard counts as sold. */
    record Item(long total, long sold) {
    }

    boolean isLoaded() {
        return state.equals("loaded");
    }

    /** Whether it is over, balanced, and has left Redis, or is about to. */
    boolean isRetired() {
        return state.startsWith("retir") || state.equals("archived");
    }

    /** One of its items. */
    Item item(String sku) {
        return Objects.requireNonNull(items.get(sku));
    }

    /** All partitions together. */
    Units sum(String sku) {
        return sums.entrySet().stream().filter(place -> place.getKey().sku().equals(sku))
                .map(Map.Entry::getValue).reduce(Units.NONE, Units::plus);
    }

    /**
     * The units by which the ledger is inconsistent: an item's guard with its sums, or, if those
     * agree, the sums with each other.
     */
    long ownDrift(String sku) {
        Units sum = sum(sku);
        long guard = item(sku).sold() - sum.of(Column.RESERVED) - sum.of(Column.CONFIRMED);
        boolean impossible = sums.entrySet().stream().anyMatch(place ->
                place.getKey().sku().equals(sku) && place.getValue().isImpossible());
        return guard == 0 && impossible ? 1 : guard;
    }

    /**
     * The books of an item in a shard.
     *
     * @param creditedBefore what the ledger had recorded as credited before Redis was read
     */
    BookFormula formula(Place place, long creditedBefore, long ordered, long creditedInRedis) {
        return new BookFormula(sums.getOrDefault(place, Units.NONE),
                after.getOrDefault(place, Units.NONE), creditedBefore,
                failed.getOrDefault(place, 0L), waiting.getOrDefault(place, 0L), ordered,
                creditedInRedis);
    }
}
