package dev.rush.sale;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.http.Times;
import dev.rush.http.Violations;
import io.quarkus.runtime.annotations.RegisterForReflection;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code PATCH /v1/sales/{sale}}. An absent field stays unchanged; null resets it to
 * the default of a sale's definition.
 */
@RegisterForReflection
@Schema(name = "Reschedule", additionalProperties = Schema.False.class)
record RescheduleRequest(
        @Schema(description = "Absent: unchanged. Null: the sale's id",
                implementation = String.class, maxLength = 200, nullable = true,
                examples = "Apple days")
        @Nullable JsonNode title,
        @Schema(description = "Absent: unchanged. Null: open now", implementation = String.class,
                format = "date-time", nullable = true)
        @Nullable JsonNode opensAt,
        @Schema(description = "After opensAt and in the future. Absent: unchanged. Null: open "
                + "until closed", implementation = String.class,
                format = "date-time", nullable = true)
        @Nullable JsonNode closesAt) {

    /**
     * The changed definition.
     *
     * @throws dev.rush.http.ProblemException {@code invalid-request} with all violations
     */
    SaleDefinition of(String sale, SaleDefinition earlier) {
        Violations violations = new Violations();
        String newTitle = title == null ? earlier.title() : SaleDefinition.title(
                "title", text("title", title, violations), sale, violations);
        long opens = opensAt == null ? earlier.opensAt() : Times.instant(
                "opensAt", text("opensAt", opensAt, violations), violations);
        long closes = closesAt == null ? earlier.closesAt() : Times.instant(
                "closesAt", text("closesAt", closesAt, violations), violations);
        violations.require(closes == 0 || closes > opens,
                closesAt == null ? "opensAt" : "closesAt",
                closesAt == null ? "must be before closesAt" : "must be after opensAt");
        violations.check();
        return earlier.rescheduled(newTitle, opens, closes);
    }

    private static String text(String field, JsonNode node, Violations violations) {
        violations.require(node.isNull() || node.isTextual(), field, "must be a string or null");
        return node.textValue();
    }
}
