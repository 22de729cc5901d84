package dev.rush.event;

import dev.rush.ledger.Position;
import java.time.Instant;
import java.util.List;

/**
 * Who is told of events over HTTP.
 *
 * @param secrets  with which deliveries are signed, the newest first
 * @param oldUntil until when the second secret is valid; null if there is none
 * @param position behind which no event was read for it
 */
record Webhook(String id, String url, List<String> types, List<String> secrets,
        Instant oldUntil, Position position, Instant createdAt) {

    /** Whether it is told of an event. */
    boolean wants(CloudEvent event) {
        return EventTypes.matches(types, event.type());
    }
}
