package dev.rush.ledger.writer;

import dev.rush.ledger.LedgerFailure;
import dev.rush.redis.Partition;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.redis.cluster.Router;
import dev.rush.redis.cluster.StreamWatch;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The streams of accepted orders and grabs. An entry has all orders of one script call, and stays
 * in its stream until it is acknowledged by deleting it, once the ledger has all of them. So the
 * stream holds exactly what waits, whichever pod read it before, and Redis needs no pending lists.
 */
@Singleton
public class OrderStream {

    /** Before every entry. */
    public static final String START = "0-0";
    /** How many entries to read first, before it is known how many orders an entry has. */
    public static final int ENTRIES_FIRST = 8;
    /**
     * Maximum entries per read, which bounds a read even when entries suddenly have more orders.
     */
    private static final int ENTRIES_MAX = 250;

    private final RedisCommands redis;
    private final Router router;

    @Inject
    public OrderStream(RedisCommands redis, Router router) {
        this.redis = redis;
        this.router = router;
    }

    /**
     * A part of a stream.
     *
     * @param orders  orders and grabs of all its entries
     * @param entries how many entries it has
     * @param last    the last of them
     */
    public record Part(List<StreamEntry> orders, int entries, String last) {

        /** Parses what was read. */
        public static Part of(Reply read) {
            List<StreamEntry> orders = new ArrayList<>(read.size());
            for (int i = 0; i < read.size(); i++) {
                Reply entry = read.at(i);
                StreamEntry.add(orders, entry.at(0).word(), entry.at(1));
            }
            return new Part(orders, read.size(),
                    read.size() == 0 ? START : read.at(read.size() - 1).at(0).word());
        }

        /**
         * The number of entries to read next: enough for a batch of orders, and at most twice the
         * number requested this time.
         */
        public int nextEntries(int asked, int batch) {
            int fitting = Math.round((float) batch * entries / orders.size());
            return Math.max(1, Math.min(Math.min(fitting, 2 * asked), ENTRIES_MAX));
        }
    }

    /** Reads entries after an entry, up to a maximum. */
    public CompletableFuture<Reply> read(Partition partition, String after, int max) {
        return redis.read("XRANGE", partition.keys().orders(), "(" + after, "+",
                "COUNT", Integer.toString(max));
    }

    /** Creates a watch that completes when a stream has an entry. */
    StreamWatch watch(Partition partition, Runnable found) {
        return new StreamWatch(router, partition.keys().orders(), found);
    }

    /**
     * Marks refused orders in their buyers' records, removes entries whose orders the ledger now
     * has, and publishes decisions about orders with waiting callers. If this is interrupted, the
     * entries are delivered again, and all of it is repeated.
     *
     * @param decided in the format of {@link Batch#decided}
     * @return fails if the ledger with the batch has been replaced; then nothing was removed or
     *         published
     */
    CompletableFuture<Void> acknowledge(Partition partition, Batch batch, List<String> entries,
            String decided) {
        Map<String, List<String>> refused = new HashMap<>();
        String epoch = Integer.toString(batch.epoch());
        batch.refused().stream().filter(one -> !one.isGrab()).forEach(one ->
                refused.computeIfAbsent(one.subject(), sale -> new ArrayList<>(List.of(epoch)))
                        .addAll(List.of(one.user(), one.id().toString())));
        List<CompletableFuture<Reply>> noted = new ArrayList<>();
        refused.forEach((sale, orders) -> noted.add(redis.script(WriterScripts.REJECT,
                partition.keys().sale(sale, "conf", "buyers").named("ledger"), orders)));
        List<String> args =
                new ArrayList<>(List.of(Long.toString(batch.seq()), epoch, decided));
        args.addAll(entries);
        return CompletableFuture.allOf(noted.toArray(CompletableFuture[]::new))
                .thenCompose(all -> redis.script(WriterScripts.ACKNOWLEDGE,
                        partition.keys().orders().named("ledger", "decided"), args))
                .thenAccept(reply -> {
                    if (reply.number() < 0) {
                        throw LedgerFailure.epochIsOver(batch.epoch());
                    }
                });
    }

    /** The backlog of a partition. */
    record Backlog(long orders, long oldestMs) {
    }

    CompletableFuture<Backlog> backlog(Partition partition) {
        // One cheap command answers for a partition in which nothing waits.
        return redis.command("XLEN", partition.keys().orders()).thenCompose(waiting ->
                waiting.number() == 0 ? CompletableFuture.completedFuture(new Backlog(0, 0))
                        : redis.script(WriterScripts.BACKLOG,
                                partition.keys().orders().sequence(), List.of())
                                .thenApply(reply -> new Backlog(
                                        reply.at(0).number(), reply.at(1).number())));
    }

    /**
     * Puts an order, a grab, or an unreadable entry back at the end of its stream; see {@link
     * StreamEntry#fields}.
     */
    CompletableFuture<Void> add(Partition partition, Map<String, String> fields) {
        List<String> entry = EntryWords.spelled(fields);
        if (entry != null) {
            return redis.script(WriterScripts.REPLAY,
                    partition.keys().orders().sequence(), entry)
                    .thenAccept(reply -> { });
        }
        List<String> args = new ArrayList<>();
        fields.forEach((name, value) -> {
            args.add(name);
            args.add(value);
        });
        return redis.script(WriterScripts.APPEND, partition.keys().orders(), args)
                .thenAccept(reply -> { });
    }
}
