package dev.rush.sale;

import static dev.rush.http.Texts.ID_PATTERN;

import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** An answer with a sale, as OpenAPI describes it; {@link SaleView} makes it. */
@Schema(name = "Sale", description = "A sale and its remaining units", requiredProperties = {
    "sale", "title", "state", "items", "maxQuantity", "duplicateGuard", "durability", "shards",
    "asOf"})
record SaleAnswer(
        @Schema(pattern = ID_PATTERN, examples = "apple-day")
        String sale,
        String title,
        @Schema(description = "By Redis's clock",
                enumeration = {"scheduled", "open", "paused", "sold-out", "closed"})
        String state,
        @Schema(format = "date-time")
        String opensAt,
        @Schema(format = "date-time")
        String closesAt,
        List<Item> items,
        @Schema(description = "Maximum units per line of a purchase")
        long maxQuantity,
        @Schema(format = "duration", examples = "PT15M")
        String paymentWindow,
        @Schema(enumeration = {"none", "cart", "user"})
        String duplicateGuard,
        @Schema(enumeration = {"redis", "replicas", "ledger"})
        String durability,
        int shards,
        @Schema(description = "When this was read from Redis, by its clock", format = "date-time")
        String asOf) {

    /** An item and its remaining units. */
    @Schema(name = "SaleItem",
            requiredProperties = {"sku", "title", "total", "left", "limitPerUser"})
    record Item(
            @Schema(pattern = ID_PATTERN, examples = "apple")
            String sku,
            String title,
            @Schema(minimum = "0", examples = "100")
            long total,
            @Schema(minimum = "0", examples = "99")
            long left,
            @Schema(description = "0: any number", minimum = "0", examples = "1")
            long limitPerUser) {
    }

    /** A line of the list. */
    @Schema(name = "ListedSale", description = "A sale in the list; only its id and when it was "
            + "prepared if Redis has lost it, or if it is retired and the ledger did not answer",
            requiredProperties = {"sale", "preparedAt"})
    record Listed(
            @Schema(pattern = ID_PATTERN, examples = "apple-day")
            String sale,
            String title,
            @Schema(enumeration = {"scheduled", "open", "paused", "sold-out", "closed"})
            String state,
            @Schema(format = "date-time")
            String opensAt,
            @Schema(format = "date-time")
            String closesAt,
            List<Item> items,
            long maxQuantity,
            @Schema(format = "duration")
            String paymentWindow,
            @Schema(enumeration = {"none", "cart", "user"})
            String duplicateGuard,
            @Schema(enumeration = {"redis", "replicas", "ledger"})
            String durability,
            int shards,
            @Schema(format = "date-time")
            String asOf,
            @Schema(format = "date-time")
            String preparedAt) {
    }

    /** All sales, in pages. */
    @Schema(name = "Sales", requiredProperties = "sales")
    record Page(
            @Schema(description = "Newest first")
            List<Listed> sales,
            @Schema(description = "The path of the next page; absent on the last",
                    format = "uri-reference")
            String next,
            @Schema(description = "true if the ledger did not answer, so that retired sales are "
                    + "missing or have only their ids")
            Boolean partial) {
    }
}
