package dev.rush.ledger;

import java.util.Locale;

/** What can happen to an order after it was stored. */
public enum StepKind {
    REJECTED(OrderStatus.REJECTED),
    CONFIRMED(OrderStatus.CONFIRMED),
    EXPIRED(OrderStatus.EXPIRED),
    RETURNED(OrderStatus.RETURNED),
    /** The units of an order that ended are back in Redis. */
    CREDITED(null),
    /** The units of a rejected order are another order's or free again. */
    SETTLED(null);

    private final String text = name().toLowerCase(Locale.ROOT);
    private final OrderStatus status;

    StepKind(OrderStatus status) {
        this.status = status;
    }

    /** As the ledger spells it. */
    public String text() {
        return text;
    }

    /** What an order is after it; null if that stays as it is. */
    public OrderStatus status() {
        return status;
    }

    /** The kind that the ledger spells so. */
    static StepKind of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
