package dev.rush.event;

import dev.rush.ledger.Position;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A registered receiver of events over HTTP.
 *
 * @param secrets  sign its deliveries; newest first
 * @param oldUntil when the second secret expires; null if there is none
 * @param position of the last event that was read for it
 */
record Webhook(String id, String url, List<String> types, List<String> secrets,
        @Nullable Instant oldUntil, Position position, Instant createdAt) {

    /** Whether it receives an event. */
    boolean wants(CloudEvent event) {
        return EventTypes.matches(types, event.type());
    }
}
