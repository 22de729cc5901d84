package dev.rush.ledger;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A step of an order.
 *
 * @param number  one more than the number of the step that it follows; 0 for a rejection
 * @param block   with which orders it was stored; 0 if by this transaction
 * @param cause   the cause as stated by the actor, or null
 */
public record Step(UUID order, int number, StepKind kind, int partition, String sale, long block,
        Actor actor, @Nullable String cause, Payment payment) {

    /** The next step of an order. */
    public static Step after(Order order, StepKind kind, Actor actor, @Nullable String cause,
            Payment payment) {
        return new Step(order.id(), order.step() + 1, kind, order.partition(), order.sale(),
                order.block(), actor, cause, payment);
    }
}
