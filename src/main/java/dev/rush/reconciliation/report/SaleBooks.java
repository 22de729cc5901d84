package dev.rush.reconciliation.report;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.List;

/**
 * The books of a sale: what Redis had at one instant, and what the ledger, the stream and the dead
 * letters account for of it.
 *
 * @param lost accepted orders and grabs of the sale's partition, since it was prepared, that no
 *             store knows any more
 * @param held    reservations that do not expire, as their payment may be among lost commits
 * @param retired whether the sale is over and Redis keeps it no longer; this is what it came to
 */
@RegisterForReflection
public record SaleBooks(String sale, String asOf, Verdict verdict, long lost, boolean retired,
        long held, List<Item> items) {

    /**
     * An item.
     *
     * @param drift ordered less what is accounted for: above zero units are held that nobody has,
     *              below zero units are offered that somebody has
     * @param ledgerTotal the ledger's total, which Redis's never exceeds
     */
    @RegisterForReflection
    public record Item(String sku, long total, long left, long ordered, long reserved,
            long confirmed, long rejected, long creditPending, long inStream, long deadLetters,
            long inTransfer, long drift, Verdict verdict, long ledgerTotal) {

        @JsonIgnore
        long accounted() {
            return reserved + confirmed + rejected + creditPending + inStream + deadLetters;
        }

        /** Units that are offered although somebody has them, or that were never there. */
        @JsonIgnore
        long oversold() {
            return Math.max(Math.max(0, -drift),
                    Math.max(total - ledgerTotal, accounted() - ledgerTotal));
        }
    }
}
