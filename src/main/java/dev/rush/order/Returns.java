package dev.rush.order;

import dev.rush.http.Caller;
import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.ledger.Actor;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerProblems;
import dev.rush.ledger.LedgerState;
import dev.rush.ledger.OfferCache;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderRows;
import dev.rush.ledger.OwedCredit;
import dev.rush.ledger.Payment;
import dev.rush.ledger.StepKind;
import dev.rush.ledger.Steps;
import dev.rush.order.ReturnLookups.Found;
import dev.rush.order.ReturnRows.Request;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Returns orders: first in the ledger, then in Redis, idempotently. One transaction in the ledger
 * ends the order and owes its units to Redis; the credit script credits them once. The return of an
 * order that the ledger does not have yet is parked and retried. While the ledger may be behind
 * Redis, orders can be returned, but their units wait.
 */
@Singleton
class Returns {

    private final OfferCache known;
    private final Ledger ledger;
    private final ReturnLookups lookups;
    private final Credits credits;
    private final ReportedSteps reported;

    @Inject
    Returns(OfferCache known, Ledger ledger, ReturnLookups lookups, Credits credits,
            ReportedSteps reported) {
        this.known = known;
        this.ledger = ledger;
        this.lookups = lookups;
        this.credits = credits;
        this.reported = reported;
    }

    /** The result of a return. */
    sealed interface Result {

        /** The answer to the client. */
        Response response(Json json);

        /** The return is refused, and is not parked. */
        record Refused(Problem problem) implements Result {

            @Override
            public Response response(Json json) {
                return problem.response();
            }
        }

        /** The return waits for its order, or has ended as void. */
        record Parked(ReturnView view) implements Result {

            @Override
            public Response response(Json json) {
                return Response.status(202).entity(json.write(view)).build();
            }
        }

        /**
         * The order is returned.
         *
         * @param order as it is now
         * @param epoch the {@linkplain LedgerState#checkedEpoch() checked epoch} of the transaction
         *              that found or ended the order
         * @param owed  its units if they can be credited to Redis now; else null
         */
        record Returned(ReturnView view, Order order, int epoch, @Nullable OwedCredit owed)
                implements Result {

            @Override
            public Response response(Json json) {
                return Response.ok(json.write(view)).build();
            }
        }

        private static Result refused(OutcomeCode code) {
            return new Refused(Problem.of(code));
        }
    }

    /**
     * Returns an order.
     *
     * @param caller must be the owner, unless the caller may act for anyone
     */
    CompletableFuture<Result> byOrder(String sale, Caller caller, Actor actor, String text) {
        UUID order = uuid(text);
        return known.findSale(sale).thenCompose(offer -> {
            if (offer == null || order == null) {
                return CompletableFuture.completedFuture(Result.refused(
                        offer == null ? OutcomeCode.UNKNOWN_SALE : OutcomeCode.UNKNOWN_ORDER));
            }
            Request request = new Request(sale, offer.month(), caller, actor);
            return ledger.call((connection, ledgerState) -> end(connection, ledgerState, request,
                    OrderRows.find(connection, request.month(), sale, order)))
                    .thenCompose(result -> result != null
                            ? CompletableFuture.completedFuture(result)
                            : lookups.order(sale, order, caller.user(), caller.actsForAnyone())
                                    .thenCompose(found -> ledger.call((connection, ledgerState) ->
                                            parkOrder(connection, ledgerState, request, order,
                                                    found))))
                    .thenCompose(result -> done(result, actor));
        });
    }

    private static @Nullable UUID uuid(String text) {
        try {
            UUID order = UUID.fromString(text);
            return order.toString().equals(text) ? order : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Ends the order if it exists and is the caller's; null if the ledger does not have it. */
    static @Nullable Result end(Connection connection, LedgerState ledgerState, Request request,
            @Nullable Order order) throws SQLException {
        if (order == null) {
            return null;
        }
        if (!request.caller().mayActFor(order.user())) {
            return Result.refused(OutcomeCode.UNKNOWN_ORDER);
        }
        return switch (order.status()) {
            case EXPIRED -> Result.refused(OutcomeCode.ORDER_EXPIRED);
            case REJECTED -> new Result.Refused(Statuses.rejected(order.id().toString()));
            case RETURNED -> {
                ReturnRows.drop(connection, order);
                yield new Result.Returned(ReturnRows.of(connection, order), order,
                        ledgerState.checkedEpoch(), null);
            }
            case RESERVED, CONFIRMED -> {
                // Its user may be erased meanwhile.
                if (!ReturnRows.lockUnlessArchived(connection, request.sale()) || !request.caller()
                        .mayActFor(OrderRows.reread(connection, order).user())) {
                    yield Result.refused(OutcomeCode.UNKNOWN_ORDER);
                }
                boolean sound = Ledger.isSound(connection, ledgerState, order.partition());
                OwedCredit owed =
                        Steps.giveBack(connection, ledgerState, order, request.actor(),
                                request.actor().cause());
                ReturnRows.drop(connection, order);
                Order ended = OrderRows.reread(connection, order);
                yield new Result.Returned(ReturnRows.of(connection, ended), ended,
                        ledgerState.checkedEpoch(), sound ? owed : null);
            }
        };
    }

    /** Tries the ledger again first, because the order may have moved there during the lookup. */
    private static Result parkOrder(Connection connection, LedgerState ledgerState, Request request,
            UUID order, Found found) throws SQLException {
        String sale = request.sale();
        Caller caller = request.caller();
        Result result = end(connection, ledgerState, request,
                OrderRows.find(connection, request.month(), sale, order));
        if (result != null) {
            return result;
        }
        if (ReturnRows.isRetired(connection, sale)) {
            return Result.refused(OutcomeCode.UNKNOWN_ORDER);
        }
        String user = found instanceof Found.Accepted accepted ? accepted.user()
                : found instanceof Found.Ended ended ? ended.user()
                : ReturnRows.failedOrderOf(connection, sale, order);
        boolean incomplete = found instanceof Found.NotLoaded || !ledgerState.checked()
                || ReturnRows.isBehind(connection, sale) || ReturnRows.hasLost(connection, sale);
        if (user == null ? !incomplete : !caller.mayActFor(user)) {
            return Result.refused(OutcomeCode.UNKNOWN_ORDER);
        }
        if (user != null) {
            ReturnRows.parkOrder(connection, ledgerState, request, order, user,
                    found instanceof Found.Accepted || found instanceof Found.Ended
                            ? ParkedRows.reason(found) : "The order is a dead letter.");
        } else {
            Problem tooMany = ReturnRows.parkUnknown(connection, ledgerState, request, order,
                    "No store knows the order, and one is known to be incomplete.");
            if (tooMany != null) {
                return new Result.Refused(tooMany);
            }
        }
        ReturnView view = ReturnRows.ofOrder(connection, sale, order);
        return view == null || caller.mayActFor(view.user()) ? parked(view)
                : Result.refused(OutcomeCode.UNKNOWN_ORDER);
    }

    /** Returns the purchase under a key of the caller, which may still be under way. */
    CompletableFuture<Result> byKey(String sale, Caller caller, Actor actor, String key) {
        return known.findSale(sale).thenCompose(offer -> {
            if (offer == null) {
                return CompletableFuture.completedFuture(Result.refused(OutcomeCode.UNKNOWN_SALE));
            }
            Request request = new Request(sale, offer.month(), caller, actor);
            return ledger.call((connection, ledgerState) ->
                    parkKey(connection, ledgerState, request, key))
                    .thenCompose(result -> result instanceof Result.Parked parked
                            && parked.view().state().equals("parked")
                            ? refuse(request, key, parked)
                            : CompletableFuture.completedFuture(result))
                    .thenCompose(result -> done(result, actor));
        });
    }

    private static @Nullable Result endKey(Connection connection, LedgerState ledgerState,
            Request request, String key) throws SQLException {
        return end(connection, ledgerState, request, OrderRows.byKey(
                connection, request.month(), request.sale(), request.caller().user(), key));
    }

    private static Result parkKey(Connection connection, LedgerState ledgerState, Request request,
            String key) throws SQLException {
        Result result = endKey(connection, ledgerState, request, key);
        if (result != null) {
            return result;
        }
        String user = request.caller().user();
        if (ReturnRows.isRetired(connection, request.sale())) {
            return Result.refused(OutcomeCode.UNKNOWN_ORDER);
        }
        if (!ReturnRows.holdParking(connection, request.sale())) {
            return new Result.Refused(Problem.retryable(OutcomeCode.UNAVAILABLE,
                    "The sale is being rebuilt in Redis.", Map.of(), 1));
        }
        return ReturnRows.parkKey(connection, ledgerState, request, key,
                "No purchase under this key is known yet.")
                ? parked(ReturnRows.ofKey(connection, request.sale(), user, key))
                : new Result.Refused(ReturnRows.tooMany(ReturnRows.UNSEEN_MAX));
    }

    /** The row is stored, so the next retry recovers from a failure from here on. */
    private CompletableFuture<Result> refuse(Request request, String key, Result.Parked parked) {
        String user = request.caller().user();
        return lookups.refuse(request.sale(), user, key)
                .thenCompose(found -> ledger.call((connection, ledgerState) -> {
                    Result ended = endKey(connection, ledgerState, request, key);
                    if (ended != null) {
                        return ended;
                    }
                    ParkedRows.recordRefusal(connection, request.sale(), user, key, found);
                    return parked(ReturnRows.ofKey(connection, request.sale(), user, key));
                })).exceptionally(failure -> parked);
    }

    /**
     * The parked return. A missing row existed a moment ago: the order was returned meanwhile, or
     * the ledger has lost the row.
     */
    private static Result parked(@Nullable ReturnView view) {
        return view == null ? new Result.Refused(LedgerProblems.mayBeLost().problem())
                : new Result.Parked(view);
    }

    /**
     * Records a return in Redis, then credits its units if they are owed. If Redis does not answer,
     * both are retried later. Fails with {@code outcome-unknown} if PostgreSQL may have lost the
     * return.
     */
    CompletableFuture<Result> done(Result result, Actor actor) {
        return !(result instanceof Result.Returned returned)
                ? CompletableFuture.completedFuture(result)
                : reported.record(returned.order, returned.epoch, StepKind.RETURNED, actor,
                        Payment.NONE, false).thenCompose(recorded ->
                                returned.owed == null || !recorded
                                ? CompletableFuture.completedFuture(result)
                                : credits.give(List.of(returned.owed))
                                        .handle((given, failure) -> result));
    }

    /** Returns of a sale in a state, newest first; null for an unknown sale. */
    CompletableFuture<List<ReturnView>> list(String sale, String state, int max) {
        return known.findSale(sale).thenCompose(offer -> offer == null
                ? CompletableFuture.completedFuture(null)
                : ledger.read((connection, ledgerState) ->
                        ReturnRows.list(connection, offer.month(), sale, state, max)));
    }
}
