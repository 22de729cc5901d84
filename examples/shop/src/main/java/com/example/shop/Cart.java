package com.example.shop;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * One purchase of a user, from the first click to its end.
 *
 * @param key       the idempotency key, generated before anything is sent
 * @param order     the id that Rush gave the order; null until it is known
 * @param problem   why Rush refused, the last part of the problem's type; null if it did not
 * @param payment   the provider's id of the payment; null until the money has arrived
 * @param returning whether the buyer has asked for a return whose outcome is unknown
 * @param shipments how often the item was shipped: at most once
 * @param events    the ids of Rush's events that this cart has processed
 */
record Cart(String key, String user, String sku, Status status, UUID order, OffsetDateTime payBy,
        String problem, String payment, boolean refunded, boolean returning, int shipments,
        List<String> events) {

    /** {@code BUYING} until the outcome is known; then a status of the order, or a final state. */
    enum Status {
        BUYING, ACCEPTED, RESERVED, CONFIRMED, REFUSED, EXPIRED, RETURNED, REJECTED, LOST;

        /** The form used by the page and in the files. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Cart of(String key, String user, String sku) {
        return new Cart(key, user, sku, Status.BUYING, null, null, null, null, false,
                false, 0, List.of());
    }

    Cart bought(UUID id, OffsetDateTime payUntil, Status newStatus) {
        return new Cart(key, user, sku, status, id, payUntil, problem, payment, refunded,
                returning, shipments, events).as(newStatus);
    }

    Cart refused(String word) {
        return new Cart(key, user, sku, status, order, payBy, word, payment, refunded, returning,
                shipments, events).as(Status.REFUSED);
    }

    Cart paid(String id) {
        return new Cart(key, user, sku, status, order, payBy, problem,
                payment == null ? id : payment, refunded, returning, shipments, events);
    }

    Cart withRefund() {
        return new Cart(key, user, sku, status, order, payBy, problem, payment, true, returning,
                shipments, events);
    }

    Cart withReturn(boolean wanted) {
        return new Cart(key, user, sku, status, order, payBy, problem, payment, refunded, wanted,
                shipments, events);
    }

    /**
     * Returns the cart after an event of Rush. The event's id and its effect are stored in one
     * write, so a repeated event changes nothing, and one that was not stored takes effect when it
     * is delivered again.
     */
    Cart after(String event, Status newStatus) {
        if (events.contains(event)) {
            return this;
        }
        List<String> more = new ArrayList<>(events);
        more.add(event);
        return new Cart(key, user, sku, status, order, payBy, problem, payment, refunded, returning,
                shipments + (newStatus == Status.CONFIRMED ? 1 : 0), more).as(newStatus);
    }

    /** Returns the cart with a later status, or unchanged: answers and events may arrive late. */
    Cart as(Status newStatus) {
        boolean isLater = rank(newStatus) > rank(status)
                || status == Status.CONFIRMED && newStatus == Status.RETURNED;
        return isLater ? new Cart(key, user, sku, newStatus, order, payBy, problem, payment,
                refunded, returning, shipments, events) : this;
    }

    /** Whether the payment has neither been confirmed to Rush nor refunded. */
    boolean isPaidButOpen() {
        return payment != null && !refunded && status != Status.CONFIRMED;
    }

    /** Whether money was received for an order that nobody will get. */
    boolean isRefundDue() {
        return payment != null && !refunded && switch (status) {
            case EXPIRED, RETURNED, REJECTED, LOST -> true;
            default -> false;
        };
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
