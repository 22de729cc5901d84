package dev.rush.order;

import static dev.rush.http.Texts.VISIBLE_PATTERN;

import dev.rush.http.Texts;
import dev.rush.http.Violations;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of a return: an order's id, or the key of its purchase. */
@RegisterForReflection
@Schema(description = "Exactly one of the two. A caller whose purchase ended in an unknown "
        + "outcome knows only its key", minProperties = 1, maxProperties = 1,
        additionalProperties = Schema.False.class)
record ReturnRequest(
        @Schema(description = "The order's id", format = "uuid")
        @Nullable String order,
        @Schema(description = "The purchase's idempotency key", pattern = VISIBLE_PATTERN)
        @Nullable String idempotencyKey) {

    /**
     * Checks the request.
     *
     * @throws dev.rush.http.ProblemException {@code invalid-request} if it is malformed
     */
    void check() {
        Violations violations = new Violations();
        violations.require((order == null) != (idempotencyKey == null), "order",
                "or idempotencyKey is required, not both");
        violations.require(order == null || Texts.isVisible(order), "order",
                "must be 1 to 128 visible ASCII characters");
        violations.require(idempotencyKey == null || Texts.isVisible(idempotencyKey),
                "idempotencyKey", "must be 1 to 128 visible ASCII characters");
        violations.check();
    }

    /** The key of a checked request without an order. */
    String key() {
        return Objects.requireNonNull(idempotencyKey, "a checked request has an order or a key");
    }
}
