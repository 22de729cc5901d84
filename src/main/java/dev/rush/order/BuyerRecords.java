package dev.rush.order;

import dev.rush.RushConfig;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.redis.Partition;
import dev.rush.redis.Reply;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Finds orders in Redis: in the user's record if the user is known, else in the stream. */
@Singleton
public class BuyerRecords {

    /** Stream entries per call of a search; an entry has the orders of one script call. */
    private static final int PART = 50;
    /** Maximum difference between the clocks of a pod and of Redis. */
    private static final long CLOCKS_APART_MS = 10_000;
    private static final int TIME_ORDERED = 7;

    private final RedisCommands redis;
    private final long deadlineMs;
    private final Set<Integer> searched = ConcurrentHashMap.newKeySet();

    /** Creates a search through Redis. */
    @Inject
    public BuyerRecords(RedisCommands redis, RushConfig config) {
        this.redis = redis;
        this.deadlineMs = config.deadline().toMillis();
    }

    /** A user's orders in one shard of a sale. */
    public CompletableFuture<BuyerRecord> of(String sale, Partition shard, String user) {
        return redis.script(OrderScripts.RECORD,
                shard.keys().sale(sale, "conf", "stock", "buyers").orders(), List.of(user))
                .thenApply(BuyerRecord::of);
    }

    /**
     * The owner of an order that waits for the ledger, or null. A purchase enters the stream within
     * its deadline after its id was generated, so only that part of the stream is read. Fails with
     * {@code unavailable} while this pod runs another search in the same stream.
     */
    public CompletableFuture<String> owner(String sale, Shards shards, UUID order) {
        return order.version() != TIME_ORDERED ? CompletableFuture.completedFuture(null)
                : shards.each(shard -> search(sale, shard, order)).thenApply(found ->
                        found.stream().filter(user -> !user.isEmpty()).findFirst().orElse(null));
    }

    private CompletableFuture<String> search(String sale, Partition shard, UUID order) {
        if (!searched.add(shard.index())) {
            return CompletableFuture.failedFuture(new ProblemException(
                    Problem.retryable(OutcomeCode.UNAVAILABLE,
                    "Another search is running; name the user, or try again.", Map.of(), 1)));
        }
        long createdMs = order.getMostSignificantBits() >>> 16;
        return search(sale, shard, order, Math.max(0, createdMs - CLOCKS_APART_MS) + "-0",
                Long.toString(createdMs + deadlineMs + CLOCKS_APART_MS))
                .whenComplete((user, failure) -> searched.remove(shard.index()));
    }

    private CompletableFuture<String> search(
            String sale, Partition shard, UUID order, String after, String last) {
        return redis.script(OrderScripts.SEARCH, shard.keys().orders(),
                List.of(sale, order.toString(), after, last, Integer.toString(PART)))
                .thenCompose(part -> part.size() > 1
                        ? CompletableFuture.completedFuture(part.at(1).word())
                        : next(sale, shard, order, part, last));
    }

    private CompletableFuture<String> next(
            String sale, Partition shard, UUID order, Reply part, String last) {
        return part.size() == 0 || part.at(0).isNull() ? CompletableFuture.completedFuture("")
                : search(sale, shard, order, part.at(0).word(), last);
    }
}
