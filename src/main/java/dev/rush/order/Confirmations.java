package dev.rush.order;

import dev.rush.RushConfig;
import dev.rush.http.Word;
import dev.rush.ledger.Actor;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.LedgerState;
import dev.rush.ledger.OfferCache;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderRows;
import dev.rush.ledger.OrderStatus;
import dev.rush.ledger.Payment;
import dev.rush.ledger.StepKind;
import dev.rush.ledger.Steps;
import dev.rush.order.ReturnLookups.Found;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Confirms paid orders. Confirming, expiring and returning exclude each other in the ledger. Orders
 * can be confirmed while the ledger may be behind Redis; then Redis is checked for whether the
 * order has ended.
 */
@Singleton
public class Confirmations {

    private static final Actor REFILL = Actor.service("refill");
    private static final String KNOWN_TO_REDIS = "refilled from Redis";

    private final OfferCache known;
    private final Ledger ledger;
    private final ReturnLookups lookups;
    private final Told told;
    private final boolean allAwaited;

    @Inject
    Confirmations(OfferCache known, Ledger ledger, ReturnLookups lookups, Told told,
            RushConfig config) {
        this.known = known;
        this.ledger = ledger;
        this.lookups = lookups;
        this.told = told;
        this.allAwaited = config.durability() == RushConfig.Durability.LEDGER;
    }

    /**
     * The outcome of a confirmation.
     *
     * @param order   as it is now; null unless it is confirmed
     * @param refusal why it is not confirmed; null if it is, or if the ledger does not have it
     * @param fresh   whether this call confirmed it
     */
    public record Outcome(Order order, Word refusal, boolean fresh) {

        private static Outcome refused(Word word) {
            return new Outcome(null, word, false);
        }

        /** The order has ended in this status. */
        public static Outcome ended(OrderStatus status) {
            return refused(switch (status) {
                case EXPIRED -> Word.ORDER_EXPIRED;
                case RETURNED -> Word.ORDER_RETURNED;
                case REJECTED -> Word.REJECTED;
                case RESERVED, CONFIRMED -> throw new IllegalArgumentException(status.text());
            });
        }
    }

    /**
     * Confirms an order if it is reserved. Repeating it is safe: a confirmed order is returned as
     * it is, unless the call states another payment.
     *
     * @param user the required owner, or null for any
     * @return null if the ledger does not have the order; fails with {@code outcome-unknown} if
     *         PostgreSQL may have lost the confirmation, or could lose it unnoticed and the sale's
     *         durability is {@code ledger}
     */
    public CompletableFuture<Outcome> confirm(String sale, UUID id, String user, Actor actor,
            Payment payment) {
        return known.findSale(sale).thenCompose(offer -> offer == null
                ? CompletableFuture.completedFuture(null)
                : confirm(new Asked(sale, offer.month(), id, user, actor, payment))
                        .thenCompose(tried -> tried.outcome == null || tried.outcome.order == null
                                ? CompletableFuture.completedFuture(tried.outcome)
                                : told.note(tried.outcome.order, tried.ledgerState.checkedEpoch(),
                                        StepKind.CONFIRMED, actor,
                                        stated(tried.outcome.order, payment),
                                        allAwaited || offer.isAwaited())
                                        .thenApply(noted -> tried.outcome)));
    }

    private record Asked(String sale, int month, UUID order, String user, Actor actor,
            Payment payment) {
    }

    /**
     * The result of a transaction.
     *
     * @param unsure whether nothing was changed because Redis must be checked first
     */
    private record Tried(Outcome outcome, LedgerState ledgerState, boolean unsure) {
    }

    /**
     * A ledger that is behind may have lost the expiry of an order whose units Redis has sold
     * again. So the order's record in Redis, if there is one, is checked before the order is
     * confirmed.
     */
    private CompletableFuture<Tried> confirm(Asked asked) {
        return ledger.call((connection, ledgerState) -> tried(connection, ledgerState, asked, null))
                .thenCompose(tried -> !tried.unsure ? CompletableFuture.completedFuture(tried)
                        : lookups.order(asked.sale, asked.order, tried.outcome.order.user(), false)
                                .thenCompose(found -> ledger.call((connection, ledgerState) ->
                                        found instanceof Found.Ended ended
                                        ? new Tried(end(connection, ledgerState, asked,
                                                ended.status()), ledgerState, false)
                                        : tried(connection, ledgerState, asked,
                                                tried.ledgerState))));
    }

    /** Records that an order has ended before any client gets that answer again. */
    private static Outcome end(Connection connection, LedgerState ledgerState, Asked asked,
            OrderStatus status) throws SQLException {
        Order order = OrderRows.find(connection, asked.month, asked.sale, asked.order);
        Outcome outcome = order == null ? null : outcome(order, asked.user, asked.payment);
        if (outcome == null || !outcome.fresh) {
            return outcome;
        }
        if (status == OrderStatus.EXPIRED) {
            Steps.expire(connection, ledgerState, order, REFILL, KNOWN_TO_REDIS);
        } else if (status == OrderStatus.RETURNED) {
            Steps.giveBack(connection, ledgerState, order, REFILL, KNOWN_TO_REDIS);
        }
        return Outcome.ended(status);
    }

    private static Tried tried(Connection connection, LedgerState ledgerState, Asked asked,
            LedgerState before) throws SQLException {
        Order order = OrderRows.find(connection, asked.month, asked.sale, asked.order);
        Outcome outcome = order == null ? null : outcome(order, asked.user, asked.payment);
        if (outcome == null || !outcome.fresh) {
            return new Tried(outcome, ledgerState, false);
        }
        if (!Ledger.isSound(connection, ledgerState, order.partition())) {
            if (before == null) {
                return new Tried(outcome, ledgerState, true);
            }
            if (before.epoch() != ledgerState.epoch()) {
                throw LedgerFailure.unchecked();
            }
        }
        Steps.confirm(connection, ledgerState, order, asked.actor, asked.payment);
        return new Tried(new Outcome(OrderRows.find(connection, asked.month, asked.sale,
                asked.order), null, true), ledgerState, false);
    }

    /** A repeated confirmation without a payment keeps the one that was stated. */
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
            case EXPIRED, RETURNED, REJECTED -> Outcome.ended(order.status());
        };
    }
}
