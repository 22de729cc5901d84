package dev.rush.sale;

import static dev.rush.http.Texts.ID_PATTERN;

import dev.rush.http.Texts;
import dev.rush.http.Violations;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of a purchase. */
@RegisterForReflection
@Schema(name = "Purchase", requiredProperties = "items", additionalProperties = Schema.False.class)
record PurchaseRequest(
        @Schema(description = "Lines of the same item are added up", minItems = 1,
                maxItems = PurchaseRequest.LINES_MAX)
        List<Line> items) {

    static final int LINES_MAX = 20;

    /** The requested units of one item; 1 if no quantity is given. */
    @RegisterForReflection
    @Schema(name = "PurchaseLine", requiredProperties = "sku",
            additionalProperties = Schema.False.class)
    record Line(
            @Schema(pattern = ID_PATTERN, examples = "apple")
            String sku,
            @Schema(description = "At most the sale's maxQuantity", minimum = "1",
                    maximum = "1000000", defaultValue = "1")
            @Nullable Long quantity) {
    }

    /**
     * The lines, one per item, in the order in which the items were first named.
     *
     * @param quantityMax the sale's maximum per line, or the absolute maximum if unknown
     * @throws dev.rush.http.ProblemException {@code invalid-request} with all violations
     */
    PurchaseLines lines(long quantityMax) {
        Violations violations = new Violations();
        violations.require(items != null && !items.isEmpty() && items.size() <= LINES_MAX,
                "items", "must be 1 to " + LINES_MAX);
        violations.check();
        Map<String, Long> sums = new LinkedHashMap<>();
        for (int i = 0; i < items.size(); i++) {
            Line line = items.get(i);
            long quantity = check(line, "items[" + i + "]", quantityMax, violations);
            if (line != null) {
                sums.merge(String.valueOf(line.sku), quantity, Long::sum);
            }
        }
        violations.check();
        return PurchaseLines.of(sums);
    }

    private static long check(Line line, String field, long quantityMax, Violations violations) {
        if (line == null) {
            violations.require(false, field, "must be an object");
            return 0;
        }
        if (!Texts.isId(line.sku)) {
            violations.require(false, field + ".sku",
                    "must be 1 to 64 of A-Z a-z 0-9 . _ -, not . or ..");
        }
        long quantity = line.quantity == null ? 1 : line.quantity;
        if (quantity < 1 || quantity > quantityMax) {
            violations.require(false, field + ".quantity", "must be 1 to " + quantityMax);
        }
        return quantity;
    }
}
