package dev.rush.order;

import dev.rush.http.Caller;
import dev.rush.http.Problem;
import dev.rush.http.Word;
import dev.rush.order.ReturnLookups.Found;
import dev.rush.order.ReturnRows.Order;
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
 * back once. What the ledger does not have yet is parked and tried again.
 */
@Singleton
public class Returns {

    private final Ledger ledger;
    private final ReturnLookups lookups;
    private final Credits credits;

    @Inject
    Returns(Ledger ledger, ReturnLookups lookups, Credits credits) {
        this.ledger = ledger;
        this.lookups = lookups;
        this.credits = credits;
    }

    /**
     * How a return stands: refused, or returned or parked as {@code view} says.
     *
     * @param problem null unless refused
     * @param owed    the order whose units are to be given back to Redis now, or null
     */
    record Result(Problem problem, ReturnView view, Credits.Due owed) {

        static Result refused(Word word) {
            return new Result(Problem.of(word), null, null);
        }
    }

    /** Returns an order. */
    CompletableFuture<Result> byOrder(String sale, Caller caller, String text) {
        UUID order = uuid(text);
        return ledger.call(connection -> !ReturnRows.isSale(connection, sale)
                ? Result.refused(Word.UNKNOWN_SALE)
                : order == null ? Result.refused(Word.UNKNOWN_ORDER)
                : end(connection, caller, ReturnRows.byOrder(connection, sale, order)))
                .thenCompose(result -> result != null ? done(result)
                        : lookups.order(sale, order, caller.user(), caller.actsForAnyone())
                                .thenCompose(found -> ledger.call(connection ->
                                        parkOrder(connection, sale, order, caller, found)))
                                .thenCompose(this::done));
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
    private static Result end(Connection connection, Caller caller, Order order)
            throws SQLException {
        if (order == null) {
            return null;
        }
        if (!caller.mayActFor(order.user())) {
            return Result.refused(Word.UNKNOWN_ORDER);
        }
        return switch (order.status()) {
            case "expired" -> Result.refused(Word.ORDER_EXPIRED);
            case "rejected" -> Result.refused(Word.REJECTED);
            case "returned" -> new Result(null, ReturnRows.noteReturned(connection, order),
                    order.pending() ? order.due() : null);
            default -> new Result(null, ReturnRows.noteReturned(connection,
                    ReturnRows.end(connection, order)), order.due());
        };
    }

    /** Redis was asked in between: by now the ledger may have what Redis has no longer. */
    private static Result parkOrder(Connection connection, String sale, UUID order, Caller caller,
            Found found) throws SQLException {
        Result result = end(connection, caller, ReturnRows.byOrder(connection, sale, order));
        if (result != null) {
            return result;
        }
        if (ReturnRows.isRetired(connection, sale)) {
            return Result.refused(Word.UNKNOWN_ORDER);
        }
        String user = found instanceof Found.Accepted accepted ? accepted.user()
                : ReturnRows.deadLetterOf(connection, sale, order, null, null);
        boolean incomplete = found instanceof Found.NotLoaded
                || ReturnRows.hasLost(connection, sale);
        if (user == null ? !incomplete : !caller.mayActFor(user)) {
            return Result.refused(Word.UNKNOWN_ORDER);
        }
        if (user != null) {
            ReturnRows.parkOrder(connection, sale, order, user, caller,
                    found instanceof Found.Accepted
                            ? "The order waits for the ledger." : "The order is a dead letter.");
        } else if (!ReturnRows.parkUnknown(connection, sale, order, caller,
                "No store knows the order, and one is known to be incomplete.")) {
            return tooMany();
        }
        ReturnView parked = ReturnRows.find(connection, sale, order, null, null);
        return caller.mayActFor(parked.user()) ? new Result(null, parked, null)
                : Result.refused(Word.UNKNOWN_ORDER);
    }

    /** Returns what was bought, or may yet be bought, under a key of the caller's. */
    CompletableFuture<Result> byKey(String sale, Caller caller, String key) {
        return ledger.call(connection -> parkKey(connection, sale, caller, key))
                .thenCompose(result -> result.view == null || result.view.isReturned()
                        || !result.view.state().equals("parked") ? done(result)
                        : refuse(sale, caller, key, result));
    }

    private static Result parkKey(Connection connection, String sale, Caller caller, String key)
            throws SQLException {
        if (!ReturnRows.isSale(connection, sale)) {
            return Result.refused(Word.UNKNOWN_SALE);
        }
        Result result = end(connection, caller,
                ReturnRows.byKey(connection, sale, caller.user(), key));
        if (result != null) {
            return result;
        }
        if (ReturnRows.isRetired(connection, sale)) {
            return Result.refused(Word.UNKNOWN_ORDER);
        }
        if (!ReturnRows.holdParking(connection, sale)) {
            return new Result(Problem.retryable(Word.UNAVAILABLE,
                    "The sale is being put back into Redis.", Map.of(), 1), null, null);
        }
        if (!ReturnRows.parkKey(connection, sale, caller.user(), key,
                "No purchase under this key is known yet.")) {
            return tooMany();
        }
        return new Result(null,
                ReturnRows.find(connection, sale, null, caller.user(), key), null);
    }

    private static Result tooMany() {
        return new Result(Problem.of(Word.LIMIT_REACHED, "At most " + ReturnRows.UNSEEN_MAX
                + " returns of purchases that nobody has seen.",
                Map.of("limit", ReturnRows.UNSEEN_MAX, "taken", ReturnRows.UNSEEN_MAX)),
                null, null);
    }

    /** The row is there, so a failure from here on is made good by the next try. */
    private CompletableFuture<Result> refuse(
            String sale, Caller caller, String key, Result parked) {
        return lookups.refuse(sale, caller.user(), key)
                .thenCompose(found -> ledger.call(connection -> {
                    ParkedRows.noteRefused(connection, sale, caller.user(), key, found);
                    Result ended = end(connection, caller,
                            ReturnRows.byKey(connection, sale, caller.user(), key));
                    return ended != null ? ended : new Result(null,
                            ReturnRows.find(connection, sale, null, caller.user(), key), null);
                })).exceptionally(failure -> parked).thenCompose(this::done);
    }

    /** Gives the units back where they are owed. Should that fail, it is tried again later. */
    private CompletableFuture<Result> done(Result result) {
        return result.owed == null ? CompletableFuture.completedFuture(result)
                : credits.give(List.of(result.owed)).handle((done, failure) -> result);
    }

    /** Ends what a parked return waits for, if the ledger has it by now; null otherwise. */
    static Result endParked(Connection connection, ParkedRows.Parked parked)
            throws SQLException {
        Order order = parked.order() != null
                ? ReturnRows.byOrder(connection, parked.sale(), parked.order())
                : ReturnRows.byKey(connection, parked.sale(), parked.user(), parked.key());
        return end(connection, Caller.actingFor(parked.user(), parked.anyone()), order);
    }

    /** Returns of a sale in a state, newest first; null for an unknown sale. */
    CompletableFuture<List<ReturnView>> list(String sale, String state, int most) {
        return ledger.read(connection -> !ReturnRows.isSale(connection, sale) ? null
                : ReturnRows.list(connection, sale, state, most));
    }
}
