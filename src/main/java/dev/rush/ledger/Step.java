package dev.rush.ledger;

import java.util.UUID;

/**
 * What happens to an order.
 *
 * @param number  the number of the step that it follows, and 1; 0 for a rejection
 * @param batch   the transaction in which the order was stored; 0 if it is this one
 * @param cause   why, in the words of whoever did it; or null
 */
public record Step(UUID order, int number, StepKind kind, int partition, String sale, long batch,
        Actor actor, String cause, Payment payment) {

    /** What happens next to an order. */
    public static Step after(Order order, StepKind kind, Actor actor, String cause,
            Payment payment) {
        return new Step(order.id(), order.step() + 1, kind, order.partition(), order.sale(),
                order.batch(), actor, cause, payment);
    }
}
