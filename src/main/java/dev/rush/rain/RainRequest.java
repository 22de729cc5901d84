package dev.rush.rain;

import io.quarkus.runtime.annotations.RegisterForReflection;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of {@code PUT /v1/rains/{rain}} as sent; {@link RainDefinition} validates it. */
@RegisterForReflection
@Schema(name = "RainDefinition", requiredProperties = "envelopes",
        additionalProperties = Schema.False.class)
record RainRequest(
        @Schema(description = "Absent: the rain's id", maxLength = 200, examples = "Quiz night")
        @Nullable String title,
        @Schema(description = "Absent: now", format = "date-time")
        @Nullable String startsAt,
        @Schema(description = "After startsAt and in the future. Absent: open until closed",
                format = "date-time")
        @Nullable String endsAt,
        @Schema(description = "Maximum grabs of one user", minimum = "1", maximum = "100",
                defaultValue = "3")
        @Nullable Long limitPerUser,
        @Schema(description = "When a grab is answered: after its script, once the replicas "
                + "have what it wrote, or once PostgreSQL has committed it. Not weaker than "
                + "rush.durability, the default",
                enumeration = {"redis", "replicas", "ledger"})
        @Nullable String durability,
        Envelopes envelopes) {

    /** Either the amounts in the order in which they are handed out, or a total to be split. */
    @RegisterForReflection
    @Schema(description = "Either amounts, or total, count and split. Money is integer minor "
            + "units, at most 9007199254740991 in total", additionalProperties = Schema.False.class)
    record Envelopes(
            @Schema(description = "In the order in which they are handed out", minItems = 1,
                    maxItems = RainDefinition.LIST_MAX)
            long @Nullable [] amounts,
            @Schema(description = "The amount to be split", minimum = "1",
                    maximum = "9007199254740991")
            @Nullable Long total,
            @Schema(description = "Number of envelopes", minimum = "1", maximum = "1000000")
            @Nullable Integer count,
            @Schema(description = "even: shares differ by at most one; double-mean: each share is "
                    + "uniform between the minimum and twice the mean of the remaining money; "
                    + "random-cut: shares lie between random cuts of a line",
                    enumeration = {"even", "double-mean", "random-cut"})
            @Nullable String split,
            // No default, because some generated clients would send it along with amounts.
            @Schema(description = "Minimum share. Absent: 1", minimum = "1")
            @Nullable Long min,
            @Schema(description = "Makes the split reproducible. Absent: random, and shown to "
                    + "the operator in the answer")
            @Nullable Long seed) {
    }
}
