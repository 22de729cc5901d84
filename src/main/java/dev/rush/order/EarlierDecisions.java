package dev.rush.order;

import dev.rush.ledger.OrderStatus;
import dev.rush.redis.Partition;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * What became of an order that an earlier purchase under the same key got. While it waits in the
 * stream its decision is waited for; after that only the ledger knows it for certain.
 */
@Singleton
public class EarlierDecisions {

    private final Decisions decisions;
    private final BuyerRecords records;
    private final Statuses statuses;

    @Inject
    EarlierDecisions(Decisions decisions, BuyerRecords records, Statuses statuses) {
        this.decisions = decisions;
        this.records = records;
        this.statuses = statuses;
    }

    /**
     * Completes once that is known, or with {@link Decision#UNKNOWN}; never fails.
     *
     * @param partition of the user's shard
     */
    public CompletableFuture<Decision> of(String sale, Partition partition, String user,
            String order) {
        return decisions.earlier(partition, order,
                () -> records.of(sale, partition, user).thenApply(record -> {
                    BuyerRecord.Line line = record.order(order);
                    return line != null && record.isWaiting(line);
                }),
                () -> statuses.find(sale, UUID.fromString(order)).thenApply(found ->
                        found == null ? null : found.status() == OrderStatus.REJECTED));
    }
}
