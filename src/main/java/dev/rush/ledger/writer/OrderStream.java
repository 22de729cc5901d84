package dev.rush.ledger.writer;

import dev.rush.redis.Partition;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The streams of accepted orders and grabs. An entry has all orders of one script call, and stays
 * in its stream until it is settled: that the ledger has them all is said by deleting it. So a
 * stream read from its beginning is all that waits, whoever read it before, and Redis need not keep
 * a note of what was delivered to whom.
 */
@Singleton
class OrderStream {

    /** Before every entry. */
    static final String START = "0-0";
    /** Entries that one call removes. */
    private static final int SETTLED_AT_ONCE = 200;

    private final RedisCommands redis;

    @Inject
    OrderStream(RedisCommands redis) {
        this.redis = redis;
    }

    /**
     * A part of a stream.
     *
     * @param orders  orders and grabs of all its entries
     * @param entries how many entries it has
     * @param last    the last of them
     */
    record Part(List<StreamEntry> orders, int entries, String last) {

        /** What was read, understood. */
        static Part of(Reply read) {
            List<StreamEntry> orders = new ArrayList<>(read.size());
            for (int i = 0; i < read.size(); i++) {
                Reply entry = read.at(i);
                StreamEntry.add(orders, entry.at(0).text(), entry.at(1));
            }
            return new Part(orders, read.size(),
                    read.size() == 0 ? START : read.at(read.size() - 1).at(0).text());
        }
    }

    /** Reads at most so many entries after an entry. */
    CompletableFuture<Reply> read(Partition partition, String after, int most) {
        return redis.read("XRANGE", partition.keys().orders(), "(" + after, "+",
                "COUNT", Integer.toString(most));
    }

    /** Removes entries of which the ledger has every order now. */
    CompletableFuture<Void> settle(Partition partition, List<String> entries) {
        List<CompletableFuture<Reply>> calls = new ArrayList<>();
        for (int i = 0; i < entries.size(); i += SETTLED_AT_ONCE) {
            List<String> some =
                    entries.subList(i, Math.min(entries.size(), i + SETTLED_AT_ONCE));
            calls.add(redis.command(
                    "XDEL", partition.keys().orders(), some.toArray(String[]::new)));
        }
        return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new));
    }

    /** What waits in a partition. */
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
     * Puts an order, a grab, or an entry that is neither back at the end of its stream; see
     * {@link StreamEntry#fields}.
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
