package dev.rush.order;

import dev.rush.http.Caller;
import dev.rush.http.Problem;
import dev.rush.http.Word;
import dev.rush.ledger.Actor;
import dev.rush.ledger.KnownOffers;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderRows;
import dev.rush.ledger.OwedCredit;
import dev.rush.ledger.Payment;
import dev.rush.ledger.Standing;
import dev.rush.ledger.StepKind;
import dev.rush.ledger.Steps;
import dev.rush.order.ReturnLookups.Found;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Returns: the database first, then Redis, any number of times with the same effect. An order ends
 * in the ledger in one transaction that also owes its units to Redis; the credit script gives them
 * back once. What the ledger does not have yet is parked and tried again. While the ledger may be
 * behind Redis, orders are returned all the same; only their units wait.
 */
@Singleton
class Returns {

    private final KnownOffers known;
    private final Ledger ledger;
    private final ReturnLookups lookups;
    private final Credits credits;
    private final Told told;

    @Inject
    Returns(KnownOffers known, Ledger ledger, ReturnLookups lookups, Credits credits,
            Told told) {
        this.known = known;
        this.ledger = ledger;
        this.lookups = lookups;
        this.credits = credits;
        this.told = told;
    }

    /**
     * How a return stands: refused, or returned or parked as {@code view} says.
     *
     * @param problem null unless refused
     * @param ended   the order as it is now, if it is returned; else null
     * @param owed    its units, if they may be given back to Redis now; else null
     */
    record Result(Problem problem, ReturnView view, Order ended, OwedCredit owed) {

        static Result refused(Word word) {
            return refused(Problem.of(word));
        }

        static Result refused(Problem problem) {
            return new Result(problem, null, null, null);
        }

        static Result of(ReturnView view) {
            return new Result(null, view, null, null);
        }
    }

    /** Who returns something of a sale, and where the sale's orders lie. */
    record Asked(String sale, int month, Caller caller, Actor actor) {
    }

    /**
     * Returns an order.
     *
     * @param caller whose order it must be, unless that is somebody who may act for anyone
     */
    CompletableFuture<Result> byOrder(String sale, Caller caller, Actor actor, String text) {
        UUID order = uuid(text);
        return known.findSale(sale).thenCompose(offer -> {
            if (offer == null || order == null) {
                return CompletableFuture.completedFuture(Result.refused(
                        offer == null ? Word.UNKNOWN_SALE : Word.UNKNOWN_ORDER));
            }
            Asked asked = new Asked(sale, offer.month(), caller, actor);
            return ledger.call((connection, standing) -> end(connection, standing, asked,
                    OrderRows.find(connection, asked.month, sale, order)))
                    .thenCompose(result -> result != null
                            ? CompletableFuture.completedFuture(result)
                            : lookups.order(sale, order, caller.user(), caller.actsForAnyone())
                                    .thenCompose(found -> ledger.call((connection, standing) ->
                                            parkOrder(connection, standing, asked, order, found))))
                    .thenCompose(result -> done(result, actor));
        });
    }

    private static UUID uuid(String text) {
        try {
            UUID order = UUID.fromString(text);
            return order.toString().equals(text) ? order : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Ends the order if it is there and the caller's; null if the ledger does not have it. */
    static Result end(Connection connection, Standing standing, Asked asked, Order order)
            throws SQLException {
        if (order == null) {
            return null;
        }
        if (!asked.caller.mayActFor(order.user())) {
            return Result.refused(Word.UNKNOWN_ORDER);
        }
        return switch (order.status()) {
            case EXPIRED -> Result.refused(Word.ORDER_EXPIRED);
            case REJECTED -> Result.refused(Statuses.rejected(order.id().toString()));
            case RETURNED -> {
                ReturnRows.drop(connection, order);
                yield new Result(null, ReturnRows.of(connection, order), order, null);
            }
            case RESERVED, CONFIRMED -> {
                boolean sound = Ledger.isSound(connection, standing, order.partition());
                OwedCredit owed =
                        Steps.giveBack(connection, standing, order, asked.actor, null);
                ReturnRows.drop(connection, order);
                Order ended = OrderRows.find(connection, order.month(), order.sale(), order.id());
                yield new Result(null, ReturnRows.of(connection, ended), ended,
                        sound ? owed : null);
            }
        };
    }

    /** Redis was asked in between: by now the ledger may have what Redis has no longer. */
    private static Result parkOrder(Connection connection, Standing standing, Asked asked,
            UUID order, Found found) throws SQLException {
        String sale = asked.sale;
        Caller caller = asked.caller;
        Result result = end(connection, standing, asked,
                OrderRows.find(connection, asked.month, sale, order));
        if (result != null) {
            return result;
        }
        if (ReturnRows.isOver(connection, sale)) {
            return Result.refused(Word.UNKNOWN_ORDER);
        }
        String user = found instanceof Found.Accepted accepted ? accepted.user()
                : ReturnRows.failedOrderOf(connection, sale, order);
        boolean incomplete = found instanceof Found.NotLoaded
                || ReturnRows.hasLost(connection, sale);
        if (user == null ? !incomplete : !caller.mayActFor(user)) {
            return Result.refused(Word.UNKNOWN_ORDER);
        }
        if (user != null) {
            ReturnRows.parkOrder(connection, sale, order, user, caller, asked.actor,
                    found instanceof Found.Accepted
                            ? "The order waits for the ledger." : "The order is a dead letter.");
        } else if (!ReturnRows.parkUnknown(connection, sale, order, caller, asked.actor,
                "No store knows the order, and one is known to be incomplete.")) {
            return tooMany();
        }
        ReturnView parked = ReturnRows.ofOrder(connection, sale, order);
        return caller.mayActFor(parked.user()) ? Result.of(parked)
                : Result.refused(Word.UNKNOWN_ORDER);
    }

    /** Returns what was bought, or may yet be bought, under a key of the caller's. */
    CompletableFuture<Result> byKey(String sale, Caller caller, Actor actor, String key) {
        return known.findSale(sale).thenCompose(offer -> {
            if (offer == null) {
                return CompletableFuture.completedFuture(Result.refused(Word.UNKNOWN_SALE));
            }
            Asked asked = new Asked(sale, offer.month(), caller, actor);
            return ledger.call((connection, standing) ->
                    parkKey(connection, standing, asked, key))
                    .thenCompose(result -> result.view == null
                            || !result.view.state().equals("parked")
                            ? CompletableFuture.completedFuture(result)
                            : refuse(asked, key, result))
                    .thenCompose(result -> done(result, actor));
        });
    }

    private static Result endKey(Connection connection, Standing standing, Asked asked,
            String key) throws SQLException {
        return end(connection, standing, asked, OrderRows.byKey(
                connection, asked.month, asked.sale, asked.caller.user(), key));
    }

    private static Result parkKey(Connection connection, Standing standing, Asked asked,
            String key) throws SQLException {
        Result result = endKey(connection, standing, asked, key);
        if (result != null) {
            return result;
        }
        String user = asked.caller.user();
        if (ReturnRows.isOver(connection, asked.sale)) {
            return Result.refused(Word.UNKNOWN_ORDER);
        }
        if (!ReturnRows.holdParking(connection, asked.sale)) {
            return Result.refused(Problem.retryable(Word.UNAVAILABLE,
                    "The sale is being put back into Redis.", Map.of(), 1));
        }
        return ReturnRows.parkKey(connection, asked.sale, user, key, asked.actor,
                "No purchase under this key is known yet.")
                ? Result.of(ReturnRows.ofKey(connection, asked.sale, user, key)) : tooMany();
    }

    private static Result tooMany() {
        return Result.refused(Problem.of(Word.LIMIT_REACHED, "At most " + ReturnRows.UNSEEN_MAX
                + " returns of purchases that nobody has seen.",
                Map.of("limit", ReturnRows.UNSEEN_MAX, "taken", ReturnRows.UNSEEN_MAX)));
    }

    /** The row is there, so a failure from here on is made good by the next try. */
    private CompletableFuture<Result> refuse(Asked asked, String key, Result parked) {
        String user = asked.caller.user();
        return lookups.refuse(asked.sale, user, key)
                .thenCompose(found -> ledger.call((connection, standing) -> {
                    Result ended = endKey(connection, standing, asked, key);
                    if (ended != null) {
                        return ended;
                    }
                    ParkedRows.noteRefused(connection, asked.sale, user, key, found);
                    return Result.of(ReturnRows.ofKey(connection, asked.sale, user, key));
                })).exceptionally(failure -> parked);
    }

    /** Gives the units back where they are owed. Should that fail, it is tried again later. */
    CompletableFuture<Result> done(Result result, Actor actor) {
        return result.ended == null ? CompletableFuture.completedFuture(result)
                : told.note(result.ended, StepKind.RETURNED, actor, Payment.NONE)
                        .thenCompose(noted -> result.owed == null
                                ? CompletableFuture.completedFuture(null)
                                : credits.give(List.of(result.owed)))
                        .handle((given, failure) -> result);
    }

    /** Returns of a sale in a state, newest first; null for an unknown sale. */
    CompletableFuture<List<ReturnView>> list(String sale, String state, int most) {
        return known.findSale(sale).thenCompose(offer -> offer == null
                ? CompletableFuture.completedFuture(null)
                : ledger.read((connection, standing) ->
                        ReturnRows.list(connection, offer.month(), sale, state, most)));
    }
}
