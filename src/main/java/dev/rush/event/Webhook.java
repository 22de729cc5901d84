package dev.rush.event;

import dev.rush.ledger.Position;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A registered receiver of events over HTTP.
 *
 * @param secrets  that sign deliveries, newest first
 * @param oldUntil until when the second secret is valid; null if there is none
 * @param position up to which events were read for it
 */
record Webhook(String id, String url, List<String> types, List<String> secrets,
        @Nullable Instant oldUntil, Position position, Instant createdAt) {

    /** Whether it receives an event. */
    boolean wants(CloudEvent event) {
        return EventTypes.matches(types, event.type());
    }
}
