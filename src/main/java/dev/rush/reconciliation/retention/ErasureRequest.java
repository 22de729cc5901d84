package dev.rush.reconciliation.retention;

import static dev.rush.http.Texts.USER_PATTERN;

import dev.rush.http.Violations;
import io.quarkus.runtime.annotations.RegisterForReflection;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The body of an erasure. */
@RegisterForReflection
@Schema(name = "ErasureRequest", requiredProperties = "user",
        additionalProperties = Schema.False.class)
record ErasureRequest(
        @Schema(description = "The user whose personal data is erased", pattern = USER_PATTERN,
                examples = "711")
        String user) {

    /**
     * Ends the request if it is not well formed.
     *
     * @throws dev.rush.http.ProblemException {@code invalid-request}
     */
    void check() {
        Violations.user("user", user);
    }
}
