package dev.rush.order;

import dev.rush.ledger.Order;
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
        // From here on no decision is missed; one that came before has left the stream.
        CompletableFuture<Decision> awaited = decisions.await(partition, order);
        return records.of(sale, partition, user).thenCompose(record -> {
            BuyerRecord.Line line = record.order(order);
            if (line != null && record.isWaiting(line)) {
                return awaited;
            }
            decisions.forget(partition, order);
            return statuses.find(sale, UUID.fromString(order)).thenApply(EarlierDecisions::of);
        }).exceptionally(failure -> {
            decisions.forget(partition, order);
            return Decision.UNKNOWN;
        });
    }

    /** What the ledger does not have although it left the stream is to be tried again, or lost. */
    private static Decision of(Order found) {
        return found == null ? Decision.UNKNOWN
                : found.status() == OrderStatus.REJECTED ? Decision.REJECTED : Decision.STORED;
    }
}
