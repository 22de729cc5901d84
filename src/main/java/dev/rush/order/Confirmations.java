package dev.rush.order;

import dev.rush.http.Word;
import dev.rush.ledger.Actor;
import dev.rush.ledger.KnownOffers;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderRows;
import dev.rush.ledger.Payment;
import dev.rush.ledger.StepKind;
import dev.rush.ledger.Steps;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Says that orders are paid. Confirming, expiring and returning exclude each other in the ledger.
 * It goes on while the ledger may be behind Redis: a confirmation takes nothing from anybody.
 */
@Singleton
public class Confirmations {

    private final KnownOffers known;
    private final Ledger ledger;
    private final Told told;

    @Inject
    Confirmations(KnownOffers known, Ledger ledger, Told told) {
        this.known = known;
        this.ledger = ledger;
        this.told = told;
    }

    /**
     * How confirming ended.
     *
     * @param order   as it is now; null unless it is confirmed
     * @param refusal why it is not; null if it is, or if the ledger does not have it
     * @param fresh   whether this call confirmed it
     */
    public record Outcome(Order order, Word refusal, boolean fresh) {

        private static Outcome refused(Word word) {
            return new Outcome(null, word, false);
        }
    }

    /**
     * Confirms an order if it is reserved. Repeating it is safe: one that is confirmed is told as
     * it is, unless another payment is stated for it.
     *
     * @param user the only one whose order it may be, or null for anyone's
     * @return null if the ledger does not have the order
     */
    public CompletableFuture<Outcome> confirm(String sale, UUID id, String user, Actor actor,
            Payment payment) {
        return known.findSale(sale).thenCompose(offer -> offer == null
                ? CompletableFuture.completedFuture(null)
                : ledger.call((connection, standing) -> {
                    Order order = OrderRows.find(connection, offer.month(), sale, id);
                    Outcome outcome = order == null ? null : outcome(order, user, payment);
                    if (outcome == null || !outcome.fresh) {
                        return outcome;
                    }
                    Steps.confirm(connection, standing, order, actor, payment);
                    return new Outcome(OrderRows.find(connection, offer.month(), sale, id), null,
                            true);
                }).thenCompose(outcome -> outcome == null || outcome.order == null
                        ? CompletableFuture.completedFuture(outcome)
                        : told.note(outcome.order, StepKind.CONFIRMED, actor,
                                stated(outcome.order, payment)).thenApply(noted -> outcome)));
    }

    /** A repetition that states nothing takes back nothing. */
    private static Payment stated(Order order, Payment payment) {
        return payment.equals(Payment.NONE)
                ? new Payment(order.reference(), null, null) : payment;
    }

    private static Outcome outcome(Order order, String user, Payment payment) {
        if (user != null && !user.equals(order.user())) {
            return Outcome.refused(Word.UNKNOWN_ORDER);
        }
        return switch (order.status()) {
            case RESERVED -> new Outcome(order, null, true);
            case CONFIRMED -> payment.reference() == null
                    || payment.reference().equals(order.reference())
                    ? new Outcome(order, null, false) : Outcome.refused(Word.ORDER_CONFIRMED);
            case EXPIRED -> Outcome.refused(Word.ORDER_EXPIRED);
            case RETURNED -> Outcome.refused(Word.ORDER_RETURNED);
            case REJECTED -> Outcome.refused(Word.REJECTED);
        };
    }
}
