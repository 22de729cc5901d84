package dev.rush.order;

import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.OfferCache;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderRows;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Reads orders in the ledger. All calls fail with a problem while the ledger is down. */
@Singleton
public class Statuses {

    private final OfferCache known;
    private final Ledger ledger;

    @Inject
    Statuses(OfferCache known, Ledger ledger) {
        this.known = known;
        this.ledger = ledger;
    }

    @FunctionalInterface
    private interface Reading<T> {

        @Nullable T of(Connection connection, int month) throws SQLException;
    }

    private <T> CompletableFuture<T> read(String sale, @Nullable T none,
            Reading<T> reading) {
        return known.findSale(sale).thenCompose(offer -> offer == null
                ? CompletableFuture.completedFuture(none)
                : ledger.read((connection, ledgerState) -> reading.of(connection, offer.month())));
    }

    /** The problem of an order that a guard of the ledger rejected. */
    public static Problem rejected(String order) {
        return Problem.of(OutcomeCode.REJECTED, OutcomeCode.REJECTED.title() + " " + order + ".",
                Map.of("order", order));
    }

    /** The order, or null. */
    public CompletableFuture<Order> find(String sale, UUID order) {
        return read(sale, null, (connection, month) ->
                OrderRows.find(connection, month, sale, order));
    }

    /** The owner of an order in the ledger or among those that could not be stored yet, or null. */
    public CompletableFuture<String> owner(String sale, UUID order) {
        return read(sale, null, (connection, month) ->
                ownerOf(connection, month, sale, order));
    }

    private static @Nullable String ownerOf(Connection connection, int month, String sale,
            UUID order) throws SQLException {
        Order found = OrderRows.find(connection, month, sale, order);
        return found != null ? found.user()
                : ReturnRows.failedOrderOf(connection, sale, order);
    }

    /**
     * As {@link #owner}. Fails with {@code unavailable} instead of null while the ledger may lack
     * orders of the sale that Redis still has. It lacks none of a retired sale: whatever has
     * happened to its partitions since then concerns other sales.
     */
    public CompletableFuture<String> ownerIfComplete(String sale, UUID order) {
        return known.findSale(sale).thenCompose(offer -> ledger.read((connection, ledgerState) -> {
            String owner = offer == null ? null
                    : ownerOf(connection, offer.month(), sale, order);
            if (owner == null && !ReturnRows.isRetired(connection, sale)
                    && (!ledgerState.checked() || ReturnRows.isBehind(connection, sale))) {
                throw LedgerFailure.unchecked();
            }
            return owner;
        }));
    }

    /** A user's order under a key, a rejected one only if there is no other; or null. */
    public CompletableFuture<Order> byKey(String sale, String user, String key) {
        return read(sale, null, (connection, month) ->
                OrderRows.byKey(connection, month, sale, user, key));
    }

    /** The orders of a user, newest first, up to a maximum. */
    public CompletableFuture<List<Order>> of(String sale, String user, int max) {
        return read(sale, List.of(), (connection, month) ->
                OrderRows.ofUser(connection, month, sale, user, max));
    }

    /** An order and its history; null if the ledger does not have it. */
    public CompletableFuture<OrderHistory.OrderWithHistory> history(String sale, UUID order) {
        return read(sale, null, (connection, month) -> {
            Order found = OrderRows.find(connection, month, sale, order);
            return found == null ? null
                    : new OrderHistory.OrderWithHistory(found, OrderHistory.of(connection, found));
        });
    }
}
