package dev.rush.sale;

import dev.rush.http.ProblemException;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerProblems;
import dev.rush.order.OrderLists;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Lists of any user's orders. One user's orders come from Redis and the ledger, as in the user's
 * own list; all users' orders come from the ledger, which has an order shortly after it is
 * accepted.
 */
@Singleton
class OrderListing {

    /** Maximum number of a user's orders in a sale. */
    private static final int USER_ORDERS_MAX = 1000;

    private final Orders orders;
    private final OrderLists lists;
    private final Ledger ledger;

    @Inject
    OrderListing(Orders orders, OrderLists lists, Ledger ledger) {
        this.orders = orders;
        this.lists = lists;
        this.ledger = ledger;
    }

    /** A page of the orders that match a query. */
    CompletableFuture<OrderView.Page> page(String sale, OrderQuery query) {
        if (query.user() != null) {
            return orders.of(sale, query.user(), USER_ORDERS_MAX)
                    .thenApply(all -> ofUser(all, query));
        }
        if (!ledger.isConfigured()) {
            return CompletableFuture.failedFuture(new ProblemException(
                    LedgerProblems.notConfigured("A list of everybody's orders needs")));
        }
        if (query.isForAccepted()) {
            // An order in the ledger is no longer accepted.
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
