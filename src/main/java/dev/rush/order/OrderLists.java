package dev.rush.order;

import dev.rush.ledger.Ledger;
import dev.rush.ledger.OrderPages;
import dev.rush.ledger.OrderStatus;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** All users' orders of a sale in the ledger. */
@Singleton
public class OrderLists {

    private final Ledger ledger;

    @Inject
    OrderLists(Ledger ledger) {
        this.ledger = ledger;
    }

    /**
     * A page of orders, newest first.
     *
     * @param status  only orders with this current status; null for all
     * @param sinceMs only orders that were placed at this time or later, by Redis's clock
     * @param before  only orders with ids below this one; null for all
     */
    public CompletableFuture<OrderPages.Page> page(
            String sale, @Nullable OrderStatus status, long sinceMs, @Nullable UUID before,
            int max) {
        return ledger.read((connection, ledgerState) -> OrderPages.of(connection, sale, sinceMs,
                order -> (status == null || order.status() == status)
                        && order.placedAt() >= sinceMs, before, max));
    }
}
