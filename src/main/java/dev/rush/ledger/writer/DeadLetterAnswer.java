package dev.rush.ledger.writer;

import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A dead letter, as OpenAPI describes it; {@link DeadLetters} makes it. */
@Schema(name = "DeadLetter",
        requiredProperties = {"id", "kind", "fields", "reason", "tries", "createdAt"})
record DeadLetterAnswer(
        @Schema(pattern = "^[0-9]{1,18}$", examples = "1")
        String id,
        @Schema(description = "The kind that the entry states: purchase or grab",
                examples = "purchase")
        String kind,
        String sale,
        String rain,
        @Schema(description = "The id of the order or grab")
        String order,
        @Schema(description = "The entry as Redis had it")
        Map<String, String> fields,
        @Schema(description = "Why the ledger cannot store it")
        String reason,
        @Schema(description = "Number of attempts to store it", minimum = "1")
        int tries,
        @Schema(format = "date-time")
        String createdAt) {

    /** Waiting dead letters. */
    @Schema(name = "DeadLetters", requiredProperties = "deadLetters")
    record Page(
            @Schema(description = "Newest first")
            List<DeadLetterAnswer> deadLetters) {
    }

    /** The answer to a replay. */
    @Schema(name = "ReplayedDeadLetter", requiredProperties = {"id", "state"})
    record Replayed(
            @Schema(pattern = "^[0-9]{1,18}$", examples = "1")
            String id,
            @Schema(enumeration = "replayed")
            String state) {
    }
}
