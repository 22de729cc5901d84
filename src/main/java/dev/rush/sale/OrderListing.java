package dev.rush.sale;

import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.http.Word;
import dev.rush.ledger.Ledger;
import dev.rush.order.OrderLists;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Lists of anyone's orders. Those of one user come from Redis and the ledger, like the user's own;
 * those of all users come from the ledger, which has orders a moment after they were accepted.
 */
@Singleton
class OrderListing {

    /** As many as a user can have in a sale. */
    private static final int OF_USER_MOST = 1000;

    private final Orders orders;
    private final OrderLists lists;
    private final Ledger ledger;

    @Inject
    OrderListing(Orders orders, OrderLists lists, Ledger ledger) {
        this.orders = orders;
        this.lists = lists;
        this.ledger = ledger;
    }

    /** A page of the orders that a query asks for. */
    CompletableFuture<OrderView.Page> page(String sale, OrderQuery query) {
        if (query.user() != null) {
            return orders.of(sale, query.user(), OF_USER_MOST)
                    .thenApply(all -> ofUser(all, query));
        }
        if (!ledger.isWanted()) {
            return CompletableFuture.failedFuture(new ProblemException(Problem.of(
                    Word.NOT_IMPLEMENTED, "A list of everybody's orders needs a ledger, and this "
                    + "service keeps orders in Redis only (rush.orders.sink=none).")));
        }
        if (query.isOfAccepted()) {
            // An order in the ledger is more than that.
            return CompletableFuture.completedFuture(new OrderView.Page(List.of(), null));
        }
        return lists.page(sale, query.stored(), query.sinceMs(), query.after(), query.limit())
                .thenApply(page -> new OrderView.Page(
                        page.orders().stream().map(OrderView::of).toList(),
                        page.next() == null ? null : page.next().toString()));
    }

    private static OrderView.Page ofUser(List<OrderView> all, OrderQuery query) {
        List<OrderView> found = all.stream().filter(order -> query.matches(order,
                Instant.parse(order.placedAt()).toEpochMilli())).toList();
        if (found.size() <= query.limit()) {
            return new OrderView.Page(found, null);
        }
        List<OrderView> page = found.subList(0, query.limit());
        return new OrderView.Page(page, page.get(page.size() - 1).order());
    }
}
