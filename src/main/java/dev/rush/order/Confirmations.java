package dev.rush.order;

import dev.rush.RushConfig;
import dev.rush.http.OutcomeCode;
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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Confirms paid orders. Confirming, expiring and returning exclude each other in the ledger. While
 * the ledger may be behind Redis, an order can be confirmed after a check that it has not ended in
 * Redis.
 */
@Singleton
public class Confirmations {

    private static final Actor REFILL = Actor.service("refill");
    private static final String KNOWN_TO_REDIS = "refilled from Redis";

    private final OfferCache known;
    private final Ledger ledger;
    private final ReturnLookups lookups;
    private final ReportedSteps reported;
    private final boolean allAwaited;

    @Inject
    Confirmations(OfferCache known, Ledger ledger, ReturnLookups lookups, ReportedSteps reported,
            RushConfig config) {
        this.known = known;
        this.ledger = ledger;
        this.lookups = lookups;
        this.reported = reported;
        this.allAwaited = config.durability() == RushConfig.Durability.LEDGER;
    }

    /** The outcome of a confirmation. */
    public sealed interface Outcome {

        /** Applies one of two functions: to the confirmed order, or to the reason of a refusal. */
        <T> T either(Function<Order, T> confirmed, Function<OutcomeCode, T> refused);

        /** The order is confirmed, by this call or an earlier one. */
        record Confirmed(Order order) implements Outcome {

            @Override
            public <T> T either(Function<Order, T> confirmed, Function<OutcomeCode, T> refused) {
                return confirmed.apply(order);
            }
        }

        /** The order is not confirmed, for this reason. */
        record Refused(OutcomeCode code) implements Outcome {

            @Override
            public <T> T either(Function<Order, T> confirmed, Function<OutcomeCode, T> refused) {
                return refused.apply(code);
            }
        }

        /** The order has ended in this status. */
        static Outcome ended(OrderStatus status) {
            return new Refused(switch (status) {
                case EXPIRED -> OutcomeCode.ORDER_EXPIRED;
                case RETURNED -> OutcomeCode.ORDER_RETURNED;
                case REJECTED -> OutcomeCode.REJECTED;
                case RESERVED, CONFIRMED -> throw new IllegalArgumentException(status.text());
            });
        }
    }

    /**
     * Confirms an order if it is reserved. Repeating it is safe: a confirmed order is returned as
     * it is, unless the call states another payment.
     *
     * @param user the required owner, or null for any
     * @return null if the ledger has no such sale or order; fails with {@code outcome-unknown} if
     *         PostgreSQL may have lost the confirmation, or could lose it unnoticed and the sale's
     *         durability is {@code ledger}
     */
    public CompletableFuture<Outcome> confirm(String sale, UUID id, @Nullable String user,
            Actor actor, Payment payment) {
        return known.findSale(sale).thenCompose(offer -> offer == null
                ? CompletableFuture.completedFuture(null)
                : confirm(new Request(sale, offer.month(), id, user, actor, payment))
                        .thenCompose(tried -> !(tried.outcome instanceof Outcome.Confirmed done)
                                ? CompletableFuture.completedFuture(tried.outcome)
                                : reported.record(done.order, tried.ledgerState.checkedEpoch(),
                                        StepKind.CONFIRMED, actor, stated(done.order, payment),
                                        allAwaited || offer.isAwaited())
                                        .thenApply(recorded -> tried.outcome)));
    }

    private record Request(String sale, int month, UUID order, @Nullable String user, Actor actor,
            Payment payment) {
    }

    /**
     * The result of a transaction.
     *
     * @param outcome   null if the ledger does not have the order, or {@code unchecked} is set
     * @param unchecked the order, if nothing was changed because Redis must be checked first; else
     *                  null
     */
    private record Tried(LedgerState ledgerState, @Nullable Outcome outcome,
            @Nullable Order unchecked) {
    }

    /**
     * A ledger that is behind may have lost the expiry of an order whose units Redis has sold
     * again. So the order's record in Redis, if there is one, is checked before the order is
     * confirmed.
     */
    private CompletableFuture<Tried> confirm(Request request) {
        return ledger.call((connection, ledgerState) ->
                tried(connection, ledgerState, request, null))
                .thenCompose(tried -> tried.unchecked == null
                        ? CompletableFuture.completedFuture(tried)
                        : lookups.order(request.sale, request.order, tried.unchecked.user(), false)
                                .thenCompose(found -> ledger.call((connection, ledgerState) ->
                                        found instanceof Found.Ended ended
                                        ? new Tried(ledgerState, end(connection, ledgerState,
                                                request, ended.status()), null)
                                        : tried(connection, ledgerState, request,
                                                tried.ledgerState))));
    }

    /** Stores in the ledger that an order has ended, before a client gets that answer again. */
    private static @Nullable Outcome end(Connection connection, LedgerState ledgerState,
            Request request, OrderStatus status) throws SQLException {
        Order order = OrderRows.find(connection, request.month, request.sale, request.order);
        if (order == null) {
            return null;
        }
        Outcome known = known(order, request.user, request.payment);
        if (known != null) {
            return known;
        }
        if (status == OrderStatus.EXPIRED) {
            Steps.expire(connection, ledgerState, order, REFILL, KNOWN_TO_REDIS);
        } else if (status == OrderStatus.RETURNED) {
            Steps.giveBack(connection, ledgerState, order, REFILL, KNOWN_TO_REDIS);
        }
        return Outcome.ended(status);
    }

    private static Tried tried(Connection connection, LedgerState ledgerState, Request request,
            @Nullable LedgerState before) throws SQLException {
        Order order = OrderRows.find(connection, request.month, request.sale, request.order);
        if (order == null) {
            return new Tried(ledgerState, null, null);
        }
        Outcome known = known(order, request.user, request.payment);
        if (known != null) {
            return new Tried(ledgerState, known, null);
        }
        if (!Ledger.isSound(connection, ledgerState, order.partition())) {
            if (before == null) {
                return new Tried(ledgerState, null, order);
            }
            if (before.epoch() != ledgerState.epoch()) {
                throw LedgerFailure.unchecked();
            }
        }
        Steps.confirm(connection, ledgerState, order, request.actor, request.payment);
        return new Tried(ledgerState,
                new Outcome.Confirmed(OrderRows.reread(connection, order)), null);
    }

    /** The payment to record; a repeated confirmation without one keeps the stated reference. */
    private static Payment stated(Order order, Payment payment) {
        return payment.equals(Payment.NONE)
                ? new Payment(order.reference(), null, null) : payment;
    }

    /** The outcome if nothing has to change; null for an order that can be confirmed now. */
    private static @Nullable Outcome known(Order order, @Nullable String user, Payment payment) {
        if (user != null && !user.equals(order.user())) {
            return new Outcome.Refused(OutcomeCode.UNKNOWN_ORDER);
        }
        return switch (order.status()) {
            case RESERVED -> null;
            case CONFIRMED -> payment.reference() == null
                    || payment.reference().equals(order.reference())
                    ? new Outcome.Confirmed(order)
                    : new Outcome.Refused(OutcomeCode.ORDER_CONFIRMED);
            case EXPIRED, RETURNED, REJECTED -> Outcome.ended(order.status());
        };
    }
}
