package dev.rush.reconciliation.repair;

import io.quarkus.runtime.annotations.RegisterForReflection;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An action of a repair that changed something. */
@RegisterForReflection
@Schema(requiredProperties = {"action", "count"})
record RepairAction(
        @Schema(enumeration = {"rebuilt", "orders-restored", "credits-repeated",
            "orders-requeued", "units-returned", "units-deducted", "rejected-settled",
            "total-corrected"})
        String action,
        @Schema(description = "The item, if the action concerns one", nullable = true)
        @Nullable String sku,
        @Schema(description = "Number of orders or units, or the new total")
        long count) {
}
