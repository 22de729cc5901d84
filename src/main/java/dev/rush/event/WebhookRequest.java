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
        @Schema(description = "Types of events, or beginnings of them that end in .*",
                examples = "[\"dev.rush.order.*\"]", minItems = 1, maxItems = TYPES_MAX)
        List<String> types,
        @Schema(description = "whsec_ and 24 to 64 bytes in base64. Wanted for a new webhook; "
                + "another one rotates it. It is never shown",
                examples = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        @Nullable String secret) {

    static final int TYPES_MAX = 20;

    /** Collects violations, as far as they can be found without resolving the host. */
    void check(Receivers receivers, Violations violations) {
        String wrong = receivers.violation(url);
        if (wrong != null) {
            violations.require(false, "url", wrong);
        }
        boolean some = types != null && !types.isEmpty() && types.size() <= TYPES_MAX;
        if (violations.require(some, "types", "must be 1 to " + TYPES_MAX + " types")) {
            for (int i = 0; i < types.size(); i++) {
                violations.require(EventTypes.isPattern(types.get(i)), "types[" + i + "]",
                        "must be a type of events, or the beginning of some and .*");
            }
        }
        violations.require(secret == null || Signatures.isSecret(secret), "secret",
                "must be whsec_ and 24 to 64 bytes in base64");
    }
}
