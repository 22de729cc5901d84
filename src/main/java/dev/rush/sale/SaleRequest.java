package dev.rush.sale;

import static dev.rush.http.Texts.ID_PATTERN;

import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of {@code PUT /v1/sales/{sale}} as sent; {@link SaleDefinition} validates it. */
@RegisterForReflection
@Schema(name = "SaleDefinition", requiredProperties = "items",
        additionalProperties = Schema.False.class)
record SaleRequest(
        @Schema(description = "Absent: the sale's id", maxLength = 200, examples = "Apple day")
        @Nullable String title,
        @Schema(description = "Absent: open now", format = "date-time")
        @Nullable String opensAt,
        @Schema(description = "After opensAt and in the future. Absent: open until closed",
                format = "date-time")
        @Nullable String closesAt,
        @Schema(minItems = 1, maxItems = 100)
        List<Item> items,
        @Schema(description = "Maximum units per line of a purchase", minimum = "1",
                maximum = "1000000", defaultValue = "100")
        @Nullable Long maxQuantity,
        @Schema(description = "How long an order stays reserved until it is confirmed or expires, "
                + "up to 30 days. Absent: orders are confirmed at once", format = "duration",
                examples = "PT15M")
        @Nullable String paymentWindow,
        @Schema(description = "What counts as a duplicate submission: nothing, the same lines of "
                + "the same user, or any purchase of the same user",
                enumeration = {"none", "cart", "user"}, defaultValue = "none")
        @Nullable String duplicateGuard,
        @Schema(description = "How long the guard remembers a purchase, up to an hour",
                format = "duration", defaultValue = "PT2S")
        @Nullable String duplicateGuardWindow,
        @Schema(description = "Whether a return restores the user's limit",
                defaultValue = "true")
        @Nullable Boolean returnRestoresLimit,
        @Schema(description = "Maximum orders of one user, including returned and expired ones",
                minimum = "1", maximum = "1000", defaultValue = "20")
        @Nullable Long ordersPerUser,
        @Schema(description = "Reservations that a user may let expire; 0: any number",
                minimum = "0", maximum = "1000", defaultValue = "3")
        @Nullable Long unpaidHolds,
        @Schema(description = "When a purchase is answered: after its script, once the "
                + "replicas have what it wrote, or once PostgreSQL has committed it. Not weaker "
                + "than rush.durability, the default",
                enumeration = {"redis", "replicas", "ledger"})
        @Nullable String durability,
        @Schema(description = "Partitions over which the sale is split, at most rush.partitions",
                minimum = "1", maximum = "1024", defaultValue = "1")
        @Nullable Integer shards) {

    /** An item on sale. */
    @RegisterForReflection
    @Schema(name = "SaleDefinitionItem", requiredProperties = {"sku", "total"},
            additionalProperties = Schema.False.class)
    record Item(
            @Schema(pattern = ID_PATTERN, examples = "apple")
            String sku,
            @Schema(description = "Absent: the sku", maxLength = 200, examples = "Apple")
            @Nullable String title,
            @Schema(description = "Units on sale", minimum = "0", maximum = "1000000000",
                    examples = "100")
            Long total,
            @Schema(description = "Maximum units per user; 0: any number", minimum = "0",
                    maximum = "1000000000", defaultValue = "1")
            @Nullable Long limitPerUser) {
    }
}
