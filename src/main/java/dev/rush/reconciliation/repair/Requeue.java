package dev.rush.reconciliation.repair;

import dev.rush.RushConfig;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.ledger.Ledger;
import dev.rush.reconciliation.repair.RecordScan.Kind;
import dev.rush.reconciliation.report.StreamScan;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Reply;
import dev.rush.redis.Script;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * Finds accepted orders and grabs that Redis has and that neither the stream nor the ledger nor the
 * dead letters have: their entry, or the ledger's commit, was lost. They are put into the stream
 * again.
 */
@Singleton
class Requeue {

    private static final int PART = 500;

    private final Ledger ledger;
    private final RedisCommands redis;
    private final StreamScan streams;
    private final long drainMs;

    @Inject
    Requeue(Ledger ledger, RedisCommands redis, StreamScan streams, RushConfig config) {
        this.ledger = ledger;
        this.redis = redis;
        this.streams = streams;
        this.drainMs = config.books().drain().toMillis();
    }

    /**
     * What was put into a stream.
     *
     * @param isComplete whether that is everything; false if the ledger did not take it in time
     */
    record Requeued(long count, boolean isComplete) {
    }

    /**
     * Requeues orders, waits up to {@code rush.books.drain} until the ledger has them, and returns
     * how many.
     *
     * @throws ProblemException {@code unavailable} if the ledger takes too few to requeue the rest
     */
    long requeue(String sale, int month, Shards shards) {
        long put = 0;
        for (Partition shard : shards.partitions()) {
            Requeued requeued = requeue(sale, month, shard);
            put += requeued.count;
            if (!requeued.isComplete
                    || requeued.count > 0 && !awaitStored(shard)) {
                throw new ProblemException(Problem.of(OutcomeCode.UNAVAILABLE,
                        "Orders of this sale "
                        + "still wait for the ledger; try again when they are stored."));
            }
        }
        return put;
    }

    /**
     * Requeues orders of one partition. Does not wait for the last {@value RecordScan#FOUND_MAX} of
     * them.
     */
    Requeued requeue(String sale, int month, Partition partition) {
        return requeue(Kind.ORDER, sale, month, partition);
    }

    /** As {@link #requeue(String, int, Partition)}, for grabs of a rain. */
    Requeued requeueGrabs(String rain, int month, Partition partition) {
        return requeue(Kind.GRAB, rain, month, partition);
    }

    /** Finds what no store has of a sale or rain in a partition. */
    RecordScan scan(Kind kind, String offer, int month, Partition partition) {
        return new RecordScan(ledger, redis, streams, kind, offer, month, partition);
    }

    private Requeued requeue(Kind kind, String offer, int month, Partition partition) {
        long put = 0;
        RecordScan scan = scan(kind, offer, month, partition);
        while (!scan.isOver()) {
            Map<String, String> lost = scan.next();
            if (!lost.isEmpty()) {
                put += put(kind, partition, offer, List.copyOf(lost.entrySet()));
                if (!scan.isOver() && !awaitStored(partition)) {
                    return new Requeued(put, false);
                }
            }
        }
        return new Requeued(put, true);
    }

    /** Others may have to wait until these are stored, so their entries do not count. */
    private boolean awaitStored(Partition partition) {
        return streams.awaitRequeued(partition, streams.last(partition),
                System.nanoTime() + drainMs * 1_000_000);
    }

    private long put(Kind kind, Partition partition, String offer,
            List<Map.Entry<String, String>> lost) {
        Script script = kind == Kind.GRAB ? RepairScripts.REQUEUE_GRABS : RepairScripts.REQUEUE;
        long put = 0;
        for (int i = 0; i < lost.size(); i += PART) {
            List<String> args = new ArrayList<>(List.of(offer));
            lost.subList(i, Math.min(lost.size(), i + PART)).forEach(entry ->
                    args.addAll(List.of(entry.getValue(), entry.getKey())));
            put += redis.script(script, kind.records(partition, offer).orders().sequence(),
                    args).join().number();
        }
        return put;
    }

    /**
     * Waits until the ledger has the orders of a sale that are in its streams, and the changes that
     * are in those of its partitions now. Returns false if they did not drain in time.
     */
    boolean awaitDrained(Shards shards, String sale, long ms) {
        long deadline = System.nanoTime() + ms * 1_000_000;
        return shards.partitions().stream().allMatch(shard ->
                await(deadline, () -> !streams.has(
                        shard, Kind.ORDER.text, sale, streams.last(shard)))
                        && awaitChanges(shard, deadline));
    }

    private boolean awaitChanges(Partition partition, long deadline) {
        Keys changes = partition.keys().named("control");
        Reply last = redis.read("XREVRANGE", changes, "+", "-", "COUNT", "1").join();
        return last.size() == 0 || await(deadline, () -> redis.read("XRANGE", changes, "-",
                last.at(0).at(0).word(), "COUNT", "1").join().size() == 0);
    }

    private static boolean await(long deadlineNanos, BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadlineNanos > 0) {
                return false;
            }
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }
}
