package com.example.shop;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * What one user wants to buy, once.
 *
 * @param key       the idempotency key, made before anything is sent
 * @param order     Rush's id, once it is known
 * @param problem   why it was refused, at the end of the problem's type
 * @param payment   the provider's id, once the money is here
 * @param shipments how often it was sent: one at most
 * @param events    the ids of Rush's events that are in this cart already
 */
record Cart(String key, String user, String sku, Status status, UUID order, OffsetDateTime payBy,
        String problem, String payment, boolean refunded, int shipments, List<String> events) {

    /** Buying: nobody knows yet whether it is bought. The rest are Rush's words, or ends. */
    enum Status {
        BUYING, ACCEPTED, RESERVED, CONFIRMED, REFUSED, EXPIRED, RETURNED, REJECTED, LOST;

        /** As the page and the files have it. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Cart of(String key, String user, String sku) {
        return new Cart(key, user, sku, Status.BUYING, null, null, null, null, false, 0,
                List.of());
    }

    Cart bought(UUID id, OffsetDateTime payUntil, Status now) {
        return new Cart(key, user, sku, status, id, payUntil, problem, payment, refunded,
                shipments, events).as(now);
    }

    Cart refused(String word) {
        return new Cart(key, user, sku, status, order, payBy, word, payment, refunded, shipments,
                events).as(Status.REFUSED);
    }

    Cart paid(String id) {
        return new Cart(key, user, sku, status, order, payBy, problem,
                payment == null ? id : payment, refunded, shipments, events);
    }

    Cart withRefund() {
        return new Cart(key, user, sku, status, order, payBy, problem, payment, true, shipments,
                events);
    }

    /**
     * What an event of Rush makes of it. The event's id and what it brings about are kept in one
     * write: an event that comes again changes nothing, one that was not kept is not lost.
     */
    Cart after(String event, Status now) {
        if (events.contains(event)) {
            return this;
        }
        List<String> more = new ArrayList<>(events);
        more.add(event);
        return new Cart(key, user, sku, status, order, payBy, problem, payment, refunded,
                shipments + (now == Status.CONFIRMED ? 1 : 0), more).as(now);
    }

    /** Answers and events may pass each other: an earlier status takes no later one's place. */
    Cart as(Status now) {
        boolean isLater = rank(now) > rank(status)
                || status == Status.CONFIRMED && now == Status.RETURNED;
        return isLater ? new Cart(key, user, sku, now, order, payBy, problem, payment, refunded,
                shipments, events) : this;
    }

    /** Whether money is here that neither Rush nor the buyer has been told of. */
    boolean isPaidButOpen() {
        return payment != null && !refunded && status != Status.CONFIRMED;
    }

    private static int rank(Status status) {
        return switch (status) {
            case BUYING -> 0;
            case ACCEPTED -> 1;
            case RESERVED -> 2;
            default -> 3;
        };
    }
}
