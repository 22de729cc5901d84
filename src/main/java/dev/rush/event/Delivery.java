package dev.rush.event;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A delivery of an event to a webhook.
 *
 * @param row    its row in the ledger while it waits; 0 otherwise
 * @param event  the event's id
 * @param at     when the event happened
 * @param body   the event as JSON, as it is sent
 * @param tries  number of tries so far
 * @param result of the last try; null before the first
 */
record Delivery(long row, String event, String type, String subject, Instant at, String body,
        int tries, @Nullable Result result) {

    /**
     * The result of a try.
     *
     * @param status the HTTP status, or 0 without an answer
     * @param answer the beginning of the receiver's answer, or why there was none
     */
    record Result(int status, String answer) {

        boolean isDelivered() {
            return status >= 200 && status < 300;
        }
    }

    /** Whether the last try succeeded. */
    boolean isDelivered() {
        return result != null && result.isDelivered();
    }

    /** This delivery after one more try. */
    Delivery tried(Result last) {
        return new Delivery(row, event, type, subject, at, body, tries + 1, last);
    }
}
