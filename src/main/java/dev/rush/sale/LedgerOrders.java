package dev.rush.sale;

import dev.rush.http.Problem;
import dev.rush.offer.LedgerAnswers;
import dev.rush.order.Decision;
import dev.rush.order.EarlierDecisions;
import dev.rush.order.Statuses;
import dev.rush.redis.Partition;
import java.util.concurrent.CompletableFuture;

/**
 * Orders of a sale whose buyers are answered once the ledger has decided.
 *
 * @param home of their user
 */
record LedgerOrders(EarlierDecisions decisions, Partition home)
        implements LedgerAnswers.Kind<OrderView> {

    @Override
    public OrderView stored(OrderView order) {
        return order.as(order.payBy() == null ? "confirmed" : "reserved");
    }

    @Override
    public Problem rejected(OrderView order) {
        return Statuses.rejected(order.order());
    }

    @Override
    public CompletableFuture<Decision> earlier(OrderView order) {
        return decisions.of(order.sale(), home, order.user(), order.order());
    }
}
