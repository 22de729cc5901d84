package dev.rush.order;

import dev.rush.redis.Partition;
import dev.rush.redis.RedisCommands;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.Reply;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The streams of accepted orders and grabs. All writers share one consumer, because the lease of a
 * partition decides who reads it: whoever holds the lease reads first what an earlier holder left
 * pending, without waiting for it to grow old.
 */
@Singleton
class OrderStream {

    /** Position of what nobody has read yet. */
    static final String NEW = ">";
    /** Position before everything that was read and not settled. */
    static final String PENDING = "0-0";
    private static final String GROUP = "rush";
    private static final String CONSUMER = "writer";

    private final RedisCommands redis;

    @Inject
    OrderStream(RedisCommands redis) {
        this.redis = redis;
    }

    /** Reads at most so many entries after a position. A missing group is created first. */
    CompletableFuture<List<StreamEntry>> read(Partition partition, String after, int most) {
        return readGroup(partition, after, most).handle((reply, failure) -> {
            if (failure == null) {
                return CompletableFuture.completedFuture(entries(partition, reply));
            }
            Throwable cause = failure instanceof CompletionException
                    ? failure.getCause() : failure;
            if (cause instanceof RedisFailure redisFailure
                    && "NOGROUP".equals(redisFailure.getMessage())) {
                return createGroup(partition)
                        .thenCompose(done -> readGroup(partition, after, most))
                        .thenApply(again -> entries(partition, again));
            }
            return CompletableFuture.<List<StreamEntry>>failedFuture(cause);
        }).thenCompose(read -> read);
    }

    private CompletableFuture<Reply> readGroup(Partition partition, String after, int most) {
        return redis.command(partition, "XREADGROUP", "GROUP", GROUP, CONSUMER, "COUNT",
                Integer.toString(most), "STREAMS", partition.orders(), after);
    }

    /** At 0, so that entries from before the group are delivered; BUSYGROUP: it is there. */
    private CompletableFuture<Void> createGroup(Partition partition) {
        return redis.command(partition, "XGROUP", "CREATE", partition.orders(), GROUP, "0",
                "MKSTREAM").handle((reply, failure) -> null);
    }

    private static List<StreamEntry> entries(Partition partition, Reply reply) {
        List<StreamEntry> entries = new ArrayList<>();
        Reply stream = reply.named(partition.orders());
        for (int i = 0; i < stream.size(); i++) {
            Reply entry = stream.at(i);
            entries.add(StreamEntry.of(entry.at(0).text(), entry.at(1)));
        }
        return entries;
    }

    /** Removes entries from the stream, and what Redis keeps of orders that the ledger has now. */
    CompletableFuture<Void> settle(Partition partition, List<StreamEntry> entries,
            boolean stored) {
        Map<String, List<String>> bySale = new LinkedHashMap<>();
        for (StreamEntry entry : entries) {
            boolean order = stored && entry instanceof StreamEntry.Purchase;
            String sale = order ? ((StreamEntry.Purchase) entry).sale() : "";
            List<String> args =
                    bySale.computeIfAbsent(sale, first -> new ArrayList<>(List.of(GROUP)));
            args.add(entry.id());
            args.add(order ? ((StreamEntry.Purchase) entry).order().toString() : "-");
            args.add(order ? ((StreamEntry.Purchase) entry).user() : "-");
        }
        List<CompletableFuture<Reply>> calls = new ArrayList<>();
        bySale.forEach((sale, args) -> calls.add(redis.script(OrderScripts.SETTLE, partition,
                List.of(partition.orders(), OrderScripts.saleKey(partition, sale, "orders"),
                        OrderScripts.saleKey(partition, sale, "placed")), args)));
        return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new));
    }

    /** What waits in a partition. */
    record Backlog(long entries, long oldestMs) {
    }

    CompletableFuture<Backlog> backlog(Partition partition) {
        // One cheap command answers for a partition in which nothing waits.
        return redis.command(partition, "XLEN", partition.orders()).thenCompose(waiting ->
                waiting.number() == 0 ? CompletableFuture.completedFuture(new Backlog(0, 0))
                        : redis.script(OrderScripts.BACKLOG, partition,
                                List.of(partition.orders()), List.of()).thenApply(reply ->
                                new Backlog(reply.at(0).number(), reply.at(1).number())));
    }

    /** Puts an entry back at the end of its stream, as {@link StreamEntry#fields} named it. */
    CompletableFuture<Void> add(Partition partition, Map<String, String> fields) {
        List<String> args = new ArrayList<>(List.of(partition.orders(), "*"));
        EntryWords.spelled(fields).forEach((name, value) -> {
            args.add(name);
            args.add(value);
        });
        return redis.command(partition, "XADD", args.toArray(String[]::new))
                .thenAccept(reply -> { });
    }
}
