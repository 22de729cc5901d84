package dev.rush.reconciliation.report;

import static dev.rush.http.Texts.ID_PATTERN;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * The books of a sale: what Redis had at one instant, and what the ledger, the stream and the dead
 * letters account for.
 *
 * @param lost accepted orders and grabs of the sale's partition, since it was prepared, that no
 *             store has any more
 * @param held    reservations that do not expire, because their payment may be among lost commits
 * @param retired whether the sale is retired; then these are its final books
 */
@RegisterForReflection
@Schema(requiredProperties = {"sale", "asOf", "verdict", "lost", "retired", "held", "items"})
public record SaleBooks(
        @Schema(pattern = ID_PATTERN, examples = "apple-day")
        String sale,
        @Schema(description = "When Redis was read, by its clock", format = "date-time")
        String asOf,
        Verdict verdict,
        @Schema(description = "Accepted orders and grabs of the sale's partition that no store "
                + "has any more")
        long lost,
        @Schema(description = "Whether the sale is over and its keys have left Redis")
        boolean retired,
        @Schema(description = "Reservations that do not expire, because their payment may be "
                + "among lost commits")
        long held,
        List<Item> items) {

    /**
     * An item.
     *
     * @param drift ordered minus what is accounted for: above zero, units are held that no order
     *              has; below zero, units are offered that an order has
     * @param ledgerTotal the ledger's total, which Redis's never exceeds
     */
    @RegisterForReflection
    @Schema(name = "SaleBooksItem", requiredProperties = {
        "sku", "total", "left", "ordered", "reserved", "confirmed", "rejected", "creditPending",
        "inStream", "deadLetters", "inTransfer", "drift", "verdict", "ledgerTotal"})
    public record Item(
            @Schema(pattern = ID_PATTERN, examples = "apple")
            String sku,
            @Schema(description = "In Redis")
            long total,
            @Schema(description = "In Redis")
            long left,
            @Schema(description = "In Redis")
            long ordered,
            @Schema(description = "In the ledger")
            long reserved,
            @Schema(description = "In the ledger")
            long confirmed,
            @Schema(description = "Rejected by the ledger's guard")
            long rejected,
            @Schema(description = "Ended in the ledger, and not yet on sale again in Redis")
            long creditPending,
            @Schema(description = "On the way to the ledger")
            long inStream,
            @Schema(description = "Units of orders that the ledger cannot store")
            long deadLetters,
            @Schema(description = "In transfer between two shards")
            long inTransfer,
            @Schema(description = "ordered, minus the units accounted for. Above zero: units are "
                    + "held that no order has. Below zero: units are offered that an order has")
            long drift,
            Verdict verdict,
            @Schema(description = "The ledger's total, which Redis's never exceeds")
            long ledgerTotal) {

        /** Units that orders hold, including queued ones. */
        @JsonIgnore
        public long accounted() {
            return reserved + confirmed + rejected + creditPending + inStream + deadLetters;
        }

        /** Units that are offered although an order has them, or that exceed the total. */
        @JsonIgnore
        long oversold() {
            return Math.max(Math.max(0, -drift),
                    Math.max(total - ledgerTotal, accounted() - ledgerTotal));
        }
    }
}
