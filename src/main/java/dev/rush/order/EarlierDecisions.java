package dev.rush.order;

import dev.rush.ledger.OrderStatus;
import dev.rush.redis.Partition;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The decision about an order that an earlier purchase with the same key created. While it is
 * queued in the stream, this waits for the decision; after that only the ledger has it for certain.
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
     * The decision, or {@link Decision#UNKNOWN} if it is not known in time; never fails.
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
