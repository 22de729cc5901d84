package dev.rush.event;

import dev.rush.http.Violations;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of a request that registers a webhook. */
@RegisterForReflection
@Schema(name = "WebhookRequest", requiredProperties = {"url", "types"})
record WebhookRequest(
        @Schema(description = "Deliveries are posted here", format = "uri",
                examples = "https://shop.example/rush")
        String url,
        @Schema(description = "Event types, or prefixes of them that end in .*",
                examples = "[\"dev.rush.order.*\"]", minItems = 1, maxItems = TYPES_MAX)
        List<String> types,
        @Schema(description = "whsec_ and 24 to 64 bytes in base64. Required for a new webhook; "
                + "a different one rotates the secret. It is never shown",
                examples = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        @Nullable String secret) {

    static final int TYPES_MAX = 20;

    /** Collects all violations that can be found without resolving the host. */
    void check(Receivers receivers, Violations violations) {
        String violation = receivers.violation(url);
        if (violation != null) {
            violations.require(false, "url", violation);
        }
        boolean hasTypes = types != null && !types.isEmpty() && types.size() <= TYPES_MAX;
        if (violations.require(hasTypes, "types", "must be 1 to " + TYPES_MAX + " types")) {
            for (int i = 0; i < types.size(); i++) {
                violations.require(EventTypes.isPattern(types.get(i)), "types[" + i + "]",
                        "must be an event type, or a prefix of one that ends in .*");
            }
        }
        violations.require(secret == null || Signatures.isSecret(secret), "secret",
                "must be whsec_ and 24 to 64 bytes in base64");
    }
}
