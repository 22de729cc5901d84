package dev.rush.ledger;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The kinds of steps of a stored order. */
public enum StepKind {
    REJECTED(OrderStatus.REJECTED),
    CONFIRMED(OrderStatus.CONFIRMED),
    EXPIRED(OrderStatus.EXPIRED),
    RETURNED(OrderStatus.RETURNED),
    /** The units of an order that ended are back in Redis. */
    CREDITED(null),
    /** The units of a rejected order are free again, or replace those of another order. */
    SETTLED(null);

    private final String text = name().toLowerCase(Locale.ROOT);
    private final @Nullable OrderStatus status;

    StepKind(@Nullable OrderStatus status) {
        this.status = status;
    }

    /** The kind as spelled in the ledger. */
    public String text() {
        return text;
    }

    /** The status that it gives an order; null if it does not change the status. */
    public @Nullable OrderStatus status() {
        return status;
    }

    /** The kind for its spelling in the ledger. */
    static StepKind of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
