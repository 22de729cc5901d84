package dev.rush.reconciliation.repair;

import dev.rush.http.Cause;
import dev.rush.http.Violations;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of a release of reservations that are on hold. */
@RegisterForReflection
@Schema(name = "HoldRelease", additionalProperties = Schema.False.class)
record HoldRequest(
        @Schema(description = "Absent: all reservations of the sale that are on hold",
                format = "uuid")
        @Nullable String order,
        @Schema(description = "The reason, for the audit: up to 200 printable characters",
                maxLength = Cause.MAX)
        @Nullable String cause) {

    /** Releases all. */
    static final HoldRequest ALL = new HoldRequest(null, null);

    /**
     * Ends the request if it is not well formed.
     *
     * @throws dev.rush.http.ProblemException {@code invalid-request}
     */
    void check() {
        Violations violations = new Violations();
        Cause.require(cause, violations);
        violations.require(order == null || id() != null, "order", "must be the id of an order");
        violations.check();
    }

    /** The order; null for all. */
    @Nullable UUID id() {
        try {
            UUID id = order == null ? null : UUID.fromString(order);
            // Java also accepts ids with fewer digits.
            return id != null && id.toString().equals(order) ? id : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
