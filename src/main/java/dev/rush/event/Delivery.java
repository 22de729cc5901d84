package dev.rush.event;

import java.time.Instant;

/**
 * An event on its way to a webhook.
 *
 * @param row    where it waits; 0 while it does not
 * @param event  the event's id
 * @param at     when it happened
 * @param body   the event as it is sent
 * @param tries  how often it was tried before
 * @param result of the last try; null before the first
 */
record Delivery(long row, String event, String type, String subject, Instant at, String body,
        int tries, Result result) {

    /**
     * How a try ended.
     *
     * @param status HTTP's, or 0 where no answer came
     * @param answer what the receiver said, cut short, or why there was none
     */
    record Result(int status, String answer) {

        boolean isDelivered() {
            return status >= 200 && status < 300;
        }
    }

    /** The same after one more try. */
    Delivery tried(Result last) {
        return new Delivery(row, event, type, subject, at, body, tries + 1, last);
    }
}
