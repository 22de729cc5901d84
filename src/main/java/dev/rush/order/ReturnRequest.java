package dev.rush.order;

import dev.rush.http.Texts;
import dev.rush.http.Violations;
import io.quarkus.runtime.annotations.RegisterForReflection;

/** The body of a return: one of the two. */
@RegisterForReflection
record ReturnRequest(String order, String idempotencyKey) {

    /**
     * Ends the request if it is not well formed.
     *
     * @throws dev.rush.http.ProblemException {@code invalid-request}
     */
    void check() {
        Violations violations = new Violations();
        violations.require((order == null) != (idempotencyKey == null), "order",
                "or idempotencyKey must be there, not both");
        violations.require(order == null || Texts.isVisible(order), "order",
                "must be 1 to 128 visible ASCII characters");
        violations.require(idempotencyKey == null || Texts.isVisible(idempotencyKey),
                "idempotencyKey", "must be 1 to 128 visible ASCII characters");
        violations.check();
    }
}
