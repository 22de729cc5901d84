package dev.rush.order;

import dev.rush.ledger.Ledger;
import dev.rush.ledger.OrderPages;
import dev.rush.ledger.OrderStatus;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Everybody's orders of a sale, as far as the ledger has them. */
@Singleton
public class OrderLists {

    private final Ledger ledger;

    @Inject
    OrderLists(Ledger ledger) {
        this.ledger = ledger;
    }

    /**
     * A page of orders, the newest first.
     *
     * @param status  only orders that are this now; null for all
     * @param sinceMs only orders that were placed then or later, by Redis's clock
     * @param before  only orders with ids before this one; null for all
     */
    public CompletableFuture<OrderPages.Page> page(
            String sale, OrderStatus status, long sinceMs, UUID before, int most) {
        return ledger.read((connection, standing) -> OrderPages.of(connection, sale, sinceMs,
                order -> (status == null || order.status() == status)
                        && order.placedAt() >= sinceMs, before, most));
    }
}
