package dev.rush.event;

import static dev.rush.http.Texts.ID_PATTERN;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Webhooks and their deliveries as shown to operators. */
final class WebhookAnswers {

    private WebhookAnswers() {
    }

    /** A webhook, without its secrets. */
    @RegisterForReflection
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @Schema(name = "Webhook", requiredProperties = {"webhook", "url", "types", "createdAt"})
    record Shown(
            @Schema(pattern = ID_PATTERN, examples = "warehouse")
            String webhook,
            @Schema(format = "uri", examples = "https://shop.example/rush")
            String url,
            @Schema(examples = "[\"dev.rush.order.*\"]")
            List<String> types,
            @Schema(format = "date-time")
            String createdAt,
            @Schema(description = "Until then deliveries are also signed with the previous secret",
                    format = "date-time")
            @Nullable String oldSecretUntil) {

        /** A webhook. */
        static Shown of(Webhook webhook) {
            return new Shown(webhook.id(), webhook.url(), webhook.types(),
                    webhook.createdAt().toString(),
                    webhook.oldUntil() == null ? null : webhook.oldUntil().toString());
        }
    }

    /** All webhooks. */
    @RegisterForReflection
    @Schema(name = "Webhooks", requiredProperties = "webhooks")
    record Listed(
            @Schema(description = "Ordered by id")
            List<Shown> webhooks) {
    }

    /** A delivery that is waiting or has failed. */
    @RegisterForReflection
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @Schema(name = "Delivery", requiredProperties = {
        "delivery", "event", "type", "subject", "state", "tries", "createdAt"})
    record Delivered(
            @Schema(pattern = "^[0-9]{1,18}$", examples = "1")
            String delivery,
            @Schema(description = "The event's id")
            String event,
            @Schema(examples = "dev.rush.order.confirmed")
            String type,
            String subject,
            @Schema(enumeration = {"waiting", "failed"})
            String state,
            @Schema(description = "0: an earlier delivery of its subject has to succeed first",
                    minimum = "0")
            int tries,
            @Schema(format = "date-time")
            @Nullable String createdAt,
            @Schema(description = "Time of the last attempt", format = "date-time")
            @Nullable String triedAt,
            @Schema(description = "Time of the next attempt", format = "date-time")
            @Nullable String nextAt,
            @Schema(description = "HTTP status of the last response")
            @Nullable Integer status,
            @Schema(description = "The beginning of the last response, or why there was none")
            String answer) {
    }

    /** Deliveries of a webhook. */
    @RegisterForReflection
    @Schema(name = "Deliveries", requiredProperties = "deliveries")
    record Deliveries(
            @Schema(description = "Newest first")
            List<Delivered> deliveries) {
    }
}
