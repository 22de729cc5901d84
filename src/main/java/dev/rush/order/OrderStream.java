package dev.rush.order;

import dev.rush.redis.Partition;
import dev.rush.redis.RedisCommands;
import dev.rush.redis.Reply;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The streams of accepted orders and grabs. An entry stays in its stream until it is settled: that
 * the ledger has it is said by deleting it. So a stream read from its beginning is all that waits,
 * whoever read it before, and Redis need not keep a note of what was delivered to whom.
 */
@Singleton
class OrderStream {

    /** Before every entry. */
    static final String START = "0-0";
    /** Entries that one call forgets: as long as one call of purchases may hold Redis. */
    private static final int SETTLED_AT_ONCE = 200;

    private final RedisCommands redis;

    @Inject
    OrderStream(RedisCommands redis) {
        this.redis = redis;
    }

    /** Reads at most so many entries after an entry. */
    CompletableFuture<Reply> read(Partition partition, String after, int most) {
        return redis.command(partition, "XRANGE", partition.orders(), "(" + after, "+",
                "COUNT", Integer.toString(most));
    }

    /** What was read, understood. */
    static List<StreamEntry> entries(Reply read) {
        List<StreamEntry> entries = new ArrayList<>(read.size());
        StreamEntry before = null;
        for (int i = 0; i < read.size(); i++) {
            Reply entry = read.at(i);
            before = StreamEntry.of(entry.at(0).text(), entry.at(1), before);
            entries.add(before);
        }
        return entries;
    }

    /** Removes entries from the stream, and what Redis keeps of orders that the ledger has now. */
    CompletableFuture<Void> settle(Partition partition, List<StreamEntry> entries,
            boolean stored) {
        Map<String, List<StreamEntry>> bySale = new LinkedHashMap<>();
        for (StreamEntry entry : entries) {
            String sale = stored && entry instanceof StreamEntry.Purchase purchase
                    ? purchase.sale() : "";
            bySale.computeIfAbsent(sale, first -> new ArrayList<>()).add(entry);
        }
        List<CompletableFuture<Reply>> calls = new ArrayList<>();
        bySale.forEach((sale, all) -> {
            for (int i = 0; i < all.size(); i += SETTLED_AT_ONCE) {
                calls.add(settle(partition, sale,
                        all.subList(i, Math.min(all.size(), i + SETTLED_AT_ONCE))));
            }
        });
        return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new));
    }

    /** Without a sale: entries only. */
    private CompletableFuture<Reply> settle(
            Partition partition, String sale, List<StreamEntry> entries) {
        int orders = sale.isEmpty() ? 0 : entries.size();
        List<String> args = new ArrayList<>(2 + entries.size() + 2 * orders);
        args.add(Integer.toString(entries.size()));
        args.add(Integer.toString(orders));
        entries.forEach(entry -> args.add(entry.id()));
        List<StreamEntry> purchases = entries.subList(0, orders);
        List<String> placed = new ArrayList<>(orders);
        for (StreamEntry entry : purchases) {
            StreamEntry.Purchase purchase = (StreamEntry.Purchase) entry;
            String order = purchase.order().toString();
            args.add(order);
            placed.add(purchase.user() + " " + order);
        }
        args.addAll(placed);
        // A key that does not exist must not be named: while its slot moves, Redis would refuse.
        return redis.script(OrderScripts.SETTLE, partition, orders == 0
                ? List.of(partition.orders())
                : List.of(partition.orders(), OrderScripts.saleKey(partition, sale, "orders"),
                        OrderScripts.saleKey(partition, sale, "placed")), args);
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
