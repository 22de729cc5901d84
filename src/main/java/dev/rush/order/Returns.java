package dev.rush.order;

import dev.rush.http.Caller;
import dev.rush.http.Problem;
import dev.rush.http.Word;
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
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Returns: the database first, then Redis, idempotently. One transaction in the ledger ends the
 * order and owes its units to Redis; the credit script credits them once. The return of an order
 * that the ledger does not have yet is parked and retried. While the ledger may be behind Redis,
 * orders can be returned, but their units wait.
 */
@Singleton
class Returns {

    private final OfferCache known;
    private final Ledger ledger;
    private final ReturnLookups lookups;
    private final Credits credits;
    private final Told told;

    @Inject
    Returns(OfferCache known, Ledger ledger, ReturnLookups lookups, Credits credits,
            Told told) {
        this.known = known;
        this.ledger = ledger;
        this.lookups = lookups;
        this.credits = credits;
        this.told = told;
    }

    /**
     * The result of a return: refused, or returned or parked according to {@code view}.
     *
     * @param problem null unless refused
     * @param ended   the order as it is now, if it is returned; else null
     * @param epoch   the {@linkplain LedgerState#checkedEpoch() checked epoch} of the transaction
     *                that found or ended the order
     * @param owed    its units, if they may be given back to Redis now; else null
     */
    record Result(Problem problem, ReturnView view, Order ended, int epoch, OwedCredit owed) {

        static Result refused(Word word) {
            return refused(Problem.of(word));
        }

        static Result refused(Problem problem) {
            return new Result(problem, null, null, 0, null);
        }

        static Result of(ReturnView view) {
            return new Result(null, view, null, 0, null);
        }
    }

    /** The caller of a return, and where the sale's orders are. */
    record Asked(String sale, int month, Caller caller, Actor actor) {
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
                        offer == null ? Word.UNKNOWN_SALE : Word.UNKNOWN_ORDER));
            }
            Asked asked = new Asked(sale, offer.month(), caller, actor);
            return ledger.call((connection, ledgerState) -> end(connection, ledgerState, asked,
                    OrderRows.find(connection, asked.month, sale, order)))
                    .thenCompose(result -> result != null
                            ? CompletableFuture.completedFuture(result)
                            : lookups.order(sale, order, caller.user(), caller.actsForAnyone())
                                    .thenCompose(found -> ledger.call((connection, ledgerState) ->
                                            parkOrder(connection, ledgerState, asked, order,
                                                    found))))
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

    /** Ends the order if it exists and is the caller's; null if the ledger does not have it. */
    static Result end(Connection connection, LedgerState ledgerState, Asked asked, Order order)
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
                yield new Result(null, ReturnRows.of(connection, order), order,
                        ledgerState.checkedEpoch(), null);
            }
            case RESERVED, CONFIRMED -> {
                boolean sound = Ledger.isSound(connection, ledgerState, order.partition());
                OwedCredit owed =
                        Steps.giveBack(connection, ledgerState, order, asked.actor, null);
                ReturnRows.drop(connection, order);
                Order ended = OrderRows.find(connection, order.month(), order.sale(), order.id());
                yield new Result(null, ReturnRows.of(connection, ended), ended,
                        ledgerState.checkedEpoch(), sound ? owed : null);
            }
        };
    }

    /** Redis was checked in between, so the ledger may now have what has left Redis. */
    private static Result parkOrder(Connection connection, LedgerState ledgerState, Asked asked,
            UUID order, Found found) throws SQLException {
        String sale = asked.sale;
        Caller caller = asked.caller;
        Result result = end(connection, ledgerState, asked,
                OrderRows.find(connection, asked.month, sale, order));
        if (result != null) {
            return result;
        }
        if (ReturnRows.isOver(connection, sale)) {
            return Result.refused(Word.UNKNOWN_ORDER);
        }
        String user = found instanceof Found.Accepted accepted ? accepted.user()
                : found instanceof Found.Ended ended ? ended.user()
                : ReturnRows.failedOrderOf(connection, sale, order);
        boolean incomplete = found instanceof Found.NotLoaded
                || ReturnRows.hasLost(connection, sale);
        if (user == null ? !incomplete : !caller.mayActFor(user)) {
            return Result.refused(Word.UNKNOWN_ORDER);
        }
        if (user != null) {
            ReturnRows.parkOrder(connection, sale, order, user, caller, asked.actor,
                    found instanceof Found.Accepted || found instanceof Found.Ended
                            ? ParkedRows.reason(found) : "The order is a dead letter.");
        } else if (!ReturnRows.parkUnknown(connection, sale, order, caller, asked.actor,
                "No store knows the order, and one is known to be incomplete.")) {
            return tooMany();
        }
        ReturnView parked = ReturnRows.ofOrder(connection, sale, order);
        return caller.mayActFor(parked.user()) ? Result.of(parked)
                : Result.refused(Word.UNKNOWN_ORDER);
    }

    /** Returns what was bought, or may still be bought, with a key of the caller's. */
    CompletableFuture<Result> byKey(String sale, Caller caller, Actor actor, String key) {
        return known.findSale(sale).thenCompose(offer -> {
            if (offer == null) {
                return CompletableFuture.completedFuture(Result.refused(Word.UNKNOWN_SALE));
            }
            Asked asked = new Asked(sale, offer.month(), caller, actor);
            return ledger.call((connection, ledgerState) ->
                    parkKey(connection, ledgerState, asked, key))
                    .thenCompose(result -> result.view == null
                            || !result.view.state().equals("parked")
                            ? CompletableFuture.completedFuture(result)
                            : refuse(asked, key, result))
                    .thenCompose(result -> done(result, actor));
        });
    }

    private static Result endKey(Connection connection, LedgerState ledgerState, Asked asked,
            String key) throws SQLException {
        return end(connection, ledgerState, asked, OrderRows.byKey(
                connection, asked.month, asked.sale, asked.caller.user(), key));
    }

    private static Result parkKey(Connection connection, LedgerState ledgerState, Asked asked,
            String key) throws SQLException {
        Result result = endKey(connection, ledgerState, asked, key);
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

    /** The row is stored, so the next retry recovers from a failure from here on. */
    private CompletableFuture<Result> refuse(Asked asked, String key, Result parked) {
        String user = asked.caller.user();
        return lookups.refuse(asked.sale, user, key)
                .thenCompose(found -> ledger.call((connection, ledgerState) -> {
                    Result ended = endKey(connection, ledgerState, asked, key);
                    if (ended != null) {
                        return ended;
                    }
                    ParkedRows.noteRefused(connection, asked.sale, user, key, found);
                    ReturnView view = ReturnRows.ofKey(connection, asked.sale, user, key);
                    return view == null ? gone() : Result.of(view);
                })).exceptionally(failure -> parked);
    }

    /** The row existed a moment ago, and the ledger has lost it since. */
    private static Result gone() {
        return Result.refused(LedgerProblems.mayBeLost().problem());
    }

    /**
     * Credits the units if they are owed, once Redis has recorded the return. If either does not
     * succeed, it is retried later. Fails with {@code
     * outcome-unknown} if PostgreSQL may have lost the return.
     */
    CompletableFuture<Result> done(Result result, Actor actor) {
        return result.ended == null ? CompletableFuture.completedFuture(result)
                : told.note(result.ended, result.epoch, StepKind.RETURNED, actor, Payment.NONE,
                        false).thenCompose(noted -> result.owed == null || !noted
                                ? CompletableFuture.completedFuture(result)
                                : credits.give(List.of(result.owed))
                                        .handle((given, failure) -> result));
    }

    /** Returns of a sale in a state, newest first; null for an unknown sale. */
    CompletableFuture<List<ReturnView>> list(String sale, String state, int most) {
        return known.findSale(sale).thenCompose(offer -> offer == null
                ? CompletableFuture.completedFuture(null)
                : ledger.read((connection, ledgerState) ->
                        ReturnRows.list(connection, offer.month(), sale, state, most)));
    }
}
