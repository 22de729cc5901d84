package dev.rush.reconciliation.repair;

import dev.rush.RushConfig;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.http.Word;
import dev.rush.ledger.Ledger;
import dev.rush.order.BuyerRecord;
import dev.rush.reconciliation.report.StoredGrabs;
import dev.rush.reconciliation.report.StoredOrders;
import dev.rush.reconciliation.report.StreamScan;
import dev.rush.redis.Partition;
import dev.rush.redis.Partition.Keys;
import dev.rush.redis.Reply;
import dev.rush.redis.Script;
import dev.rush.redis.Shards;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * Finds accepted orders and grabs that Redis has and that neither the stream nor the ledger nor the
 * dead letters have: their entry, or the ledger's commit, was lost. They are put into the stream
 * again.
 */
@Singleton
class Requeue {

    private static final int PART = 500;
    /** Maximum number of lost ones collected before they are put into the stream. */
    private static final int FOUND_MAX = 10_000;
    /** The cursor with which a scan starts, and which it returns at its end. */
    private static final String START = "0";

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

    /** The kinds of entries of a stream, and their records in Redis. */
    private enum Kind {

        ORDER("purchase", RepairScripts.REQUEUE) {
            @Override
            Keys records(Partition partition, String sale) {
                return partition.keys().sale(sale, "buyers");
            }

            @Override
            Stream<String> ids(String record) {
                return BuyerRecord.lines(record).stream().filter(BuyerRecord.Line::isAccepted)
                        .map(BuyerRecord.Line::order);
            }

            @Override
            Set<String> stored(Connection connection, int month, Collection<String> ids)
                    throws SQLException {
                return StoredOrders.of(connection, month, ids);
            }
        },

        GRAB("grab", RepairScripts.REQUEUE_GRABS) {
            @Override
            Keys records(Partition partition, String rain) {
                return partition.keys().rain(rain, "takers");
            }

            @Override
            Stream<String> ids(String record) {
                return record.lines().map(line -> line.split(" ", 2)[0]);
            }

            @Override
            Set<String> stored(Connection connection, int month, Collection<String> ids)
                    throws SQLException {
                return StoredGrabs.of(connection, month, ids);
            }
        };

        private final String text;
        private final Script script;

        Kind(String text, Script script) {
            this.text = text;
            this.script = script;
        }

        /** The hash of records by user. */
        abstract Keys records(Partition partition, String offer);

        /** The ids in a user's record that the ledger should have. */
        abstract Stream<String> ids(String record);

        /** The ids among these that the ledger has. */
        abstract Set<String> stored(Connection connection, int month, Collection<String> ids)
                throws SQLException;
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
                throw new ProblemException(Problem.of(Word.UNAVAILABLE, "Orders of this sale "
                        + "still wait for the ledger; try again when they are stored."));
            }
        }
        return put;
    }

    /** Requeues orders of one partition. Does not wait for the last {@value #FOUND_MAX} of them. */
    Requeued requeue(String sale, int month, Partition partition) {
        return requeue(Kind.ORDER, sale, month, partition);
    }

    /** As {@link #requeue(String, int, Partition)}, for grabs of a rain. */
    Requeued requeueGrabs(String rain, int month, Partition partition) {
        return requeue(Kind.GRAB, rain, month, partition);
    }

    private Requeued requeue(Kind kind, String offer, int month, Partition partition) {
        long put = 0;
        String cursor = START;
        do {
            Map<String, String> lost = new HashMap<>();
            do {
                Reply part = redis.read("HSCAN", kind.records(partition, offer), cursor,
                        "COUNT", Integer.toString(PART)).join();
                cursor = part.at(0).word();
                lost.putAll(notStored(kind, month, part.at(1).pairs()));
            } while (!cursor.equals(START) && lost.size() < FOUND_MAX);
            removeKnown(kind, offer, month, partition, lost);
            if (!lost.isEmpty()) {
                put += put(kind, partition, offer, List.copyOf(lost.entrySet()));
                if (!cursor.equals(START) && !awaitStored(partition)) {
                    return new Requeued(put, false);
                }
            }
        } while (!cursor.equals(START));
        return new Requeued(put, true);
    }

    /** Others may have to wait until these are stored, so their entries do not count. */
    private boolean awaitStored(Partition partition) {
        return streams.awaitRequeued(partition, streams.last(partition),
                System.nanoTime() + drainMs * 1_000_000);
    }

    /** The ids in these records that the ledger does not have now, with their users. */
    private Map<String, String> notStored(Kind kind, int month, Map<String, String> records) {
        Map<String, String> read = new HashMap<>();
        records.forEach((user, record) -> kind.ids(record).forEach(id -> read.put(id, user)));
        read.keySet().removeAll(stored(kind, month, read.keySet()));
        return read;
    }

    /** Removes orders of a sale that the stream, the dead letters or the ledger has. */
    void removeKnown(String sale, int month, Partition partition, Map<String, String> orders) {
        orders.keySet().removeAll(stored(Kind.ORDER, month, orders.keySet()));
        removeKnown(Kind.ORDER, sale, month, partition, orders);
    }

    private void removeKnown(Kind kind, String offer, int month, Partition partition,
            Map<String, String> lost) {
        if (lost.isEmpty()) {
            return;
        }
        // An order leaves the stream once the ledger has it, so the ledger is read after the
        // stream.
        streams.removeWaiting(
                partition, kind.text, offer, streams.last(partition), lost.keySet());
        // A failed order is stored in the transaction that removes it from the failed ones.
        lost.keySet().removeAll(ledger.transact((connection, ledgerState) ->
                FailedOrders.ids(connection, kind.text, offer)));
        lost.keySet().removeAll(stored(kind, month, lost.keySet()));
    }

    private Set<String> stored(Kind kind, int month, Collection<String> ids) {
        return ledger.transact((connection, ledgerState) -> kind.stored(connection, month, ids));
    }

    private long put(Kind kind, Partition partition, String offer,
            List<Map.Entry<String, String>> lost) {
        long put = 0;
        for (int i = 0; i < lost.size(); i += PART) {
            List<String> args = new ArrayList<>(List.of(offer));
            lost.subList(i, Math.min(lost.size(), i + PART)).forEach(entry ->
                    args.addAll(List.of(entry.getValue(), entry.getKey())));
            put += redis.script(kind.script, kind.records(partition, offer).orders().sequence(),
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
