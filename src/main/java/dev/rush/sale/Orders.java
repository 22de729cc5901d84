package dev.rush.sale;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Accepted orders that lie in Redis because the ledger may not have them yet. */
@Singleton
class Orders {

    private final RedisCommands redis;
    private final Partitions partitions;

    @Inject
    Orders(RedisCommands redis, Partitions partitions) {
        this.redis = redis;
        this.partitions = partitions;
    }

    /** The order, or null. */
    CompletableFuture<OrderView> find(String sale, String order) {
        Partition partition = partitions.of(sale);
        return redis.script(SaleScripts.ORDER, partition,
                List.of(SaleScripts.key(partition, sale, "keys"),
                        SaleScripts.key(partition, sale, "orders")), List.of(order))
                .thenApply(reply -> "unknown-order".equals(reply.text())
                        ? null : OrderView.ofEntry(sale, reply.text()));
    }

    /** The orders of a user, newest first, at most so many. */
    CompletableFuture<List<OrderView>> of(String sale, String user, int most) {
        Partition partition = partitions.of(sale);
        return redis.script(SaleScripts.ORDERS, partition,
                List.of(SaleScripts.key(partition, sale, "keys"),
                        SaleScripts.key(partition, sale, "orders"),
                        SaleScripts.key(partition, sale, "placed")),
                List.of(user, Integer.toString(most)))
                .thenApply(reply -> reply.texts().stream()
                        .map(entry -> OrderView.ofEntry(sale, entry)).toList());
    }
}
