package dev.rush.ledger.writer;

import dev.rush.ledger.LedgerFailure;
import dev.rush.redis.Partition;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.cluster.StreamWatch;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Moves the entries of one partition into the ledger while this pod holds its lease. Each poll
 * reads from the beginning of the stream, hence also what an earlier writer read and did not
 * acknowledge. One batch is written at a time; meanwhile the next is read, and the one before is
 * acknowledged. Where a buyer may wait for the ledger, the stream is watched between polls too.
 */
final class PartitionReader {

    private static final Logger LOG = Logger.getLogger(PartitionReader.class);
    private static final int ROUNDS_MAX = 20;

    private final ReaderTools tools;
    private final Owner owner;
    private final Partition partition;
    private final long token;
    private final StreamWatch watch;
    private final PollTimer timer;
    /** When the next retry is due, including those of a previous writer. */
    private long retryNanos = System.nanoTime();
    private boolean retrying = true;
    /** The entry after which the next read begins. */
    private String after = OrderStream.START;
    private int entriesMax = OrderStream.ENTRIES_FIRST;
    /** Whether entries are left in the stream, at least until the next poll. */
    private boolean deferring;
    /** The last entry of those that were left; before the first if there are none. */
    private String deferredTo = OrderStream.START;

    /** The writer, as its readers see it. */
    interface Owner {

        /** Longest pause between two polls of an empty stream, in milliseconds. */
        long pauseMaxMs(Partition partition);

        /**
         * Whether callers may wait for the ledger in this partition, so that entries must be read
         * at once.
         */
        boolean isWatched(Partition partition);

        /** Something was found in a partition. */
        void found(Partition partition);

        /** Whether a caller may wait for the ledger's decision about this order or grab. */
        boolean isAwaited(StreamEntry entry);

        /** Decisions, in the format of {@link Batch#decided}; empty if there are none. */
        void decided(Partition partition, String ids);

        /** A batch was stored, except for the entries that it refused or gave up. */
        void stored(Batch batch);
    }

    PartitionReader(ReaderTools tools, Owner owner, Partition partition, long token) {
        this.tools = tools;
        this.owner = owner;
        this.partition = partition;
        this.token = token;
        this.timer = new PollTimer(
                tools.scheduler(), () -> owner.pauseMaxMs(partition), this::poll);
        this.watch = tools.stream().watch(partition, timer::wake);
    }

    long token() {
        return token;
    }

    void stop() {
        timer.stop();
        watch.stop();
    }

    void start() {
        timer.start();
    }

    /** Polls now, because something has just entered the stream. */
    void wake() {
        timer.wake();
    }

    /** Shortens a pause that exceeds the current maximum. */
    void pollSoon() {
        timer.pollSoon();
    }

    private void poll() {
        after = deferredTo;
        read().thenAccept(part -> {
            if (part.entries() > 0 || deferring || isRetryDue()) {
                drainLater(part);
            } else {
                backOff();
            }
        }).exceptionally(failure -> {
            timer.retryLater();
            LOG.log(isExpected(failure) ? Logger.Level.DEBUG : Logger.Level.ERROR,
                    "The poll of partition " + partition.index() + " failed", failure);
            return null;
        });
    }

    private static boolean isExpected(Throwable failure) {
        return failure instanceof RedisFailure || failure.getCause() instanceof RedisFailure;
    }

    /** Entries are parsed on a worker thread, not on the event loop of the connection. */
    private CompletableFuture<OrderStream.Part> read() {
        return tools.stream().read(partition, after, entriesMax)
                .thenApplyAsync(OrderStream.Part::of, tools.scheduler());
    }

    private boolean isRetryDue() {
        return retrying && retryNanos - System.nanoTime() <= 0;
    }

    private void backOff() {
        if (owner.isWatched(partition)) {
            watch.start();
        }
        timer.backOff(retrying ? Math.max(1, TimeUnit.NANOSECONDS.toMillis(
                retryNanos - System.nanoTime())) : Long.MAX_VALUE);
    }

    private void drainLater(OrderStream.Part part) {
        // Reported before anything is stored, so that the backlog is measured while the ledger is
        // down.
        if (part.entries() > 0) {
            owner.found(partition);
        }
        try {
            tools.workers().execute(() -> drain(part));
        } catch (RejectedExecutionException e) {
            timer.stop();
        }
    }

    /** Writes batch after batch; yields to other partitions after some. */
    private void drain(OrderStream.Part first) {
        OrderStream.Part part = first;
        CompletableFuture<Void> acknowledging = CompletableFuture.completedFuture(null);
        try {
            if (deferring && !tools.store().defers(partition.index())) {
                readAllAgain();
                return;
            }
            // While new orders wait anyway, all that is due; else they would be delayed.
            int retriesMax = deferring ? ROUNDS_MAX : 1;
            for (int round = 0; round < retriesMax && isRetryDue(); round++) {
                retry();
            }
            for (int round = 0; !timer.isStopped() && part.entries() > 0; round++) {
                CompletableFuture<OrderStream.Part> next = readAhead(part);
                Batch batch = store(part.orders());
                acknowledging.join();
                acknowledging = acknowledgeLater(batch, part.orders());
                if (next == null) {
                    break;
                }
                part = next.join();
                if (round == ROUNDS_MAX && part.entries() > 0) {
                    acknowledging.join();
                    drainLater(part);
                    return;
                }
            }
            acknowledging.join();
            if (deferring) {
                deferredTo = after;
            }
            if (deferring && !isRetryDue()) {
                timer.retryLater();
            } else {
                timer.pollAgain();
            }
        } catch (Fence.Fenced e) {
            LOG.infof("Partition %d is another writer's now", partition.index());
            timer.stop();
        } catch (RuntimeException | Error e) {
            timer.retryLater();
            if (isOutage(e)) {
                LOG.debugf("Partition %d has to wait: %s", partition.index(), e.getMessage());
            } else {
                LOG.errorf(e, "Partition %d could not be written", partition.index());
            }
        }
    }

    private void readAllAgain() {
        deferring = false;
        deferredTo = OrderStream.START;
        timer.pollAgain();
    }

    private static boolean isOutage(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof RedisFailure
                || cause instanceof LedgerFailure ledger && ledger.isOutage();
    }

    /** Acknowledges all entries that were read, except deferred ones. */
    private CompletableFuture<Void> acknowledgeLater(Batch batch, List<StreamEntry> read) {
        List<StreamEntry> orders = batch.withoutDeferred(read);
        if (orders.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return CompletableFuture.supplyAsync(() -> acknowledge(batch, orders,
                        orders.stream().map(StreamEntry::id).distinct().toList()),
                tools.scheduler()).thenCompose(acknowledging -> acknowledging);
    }

    /**
     * Buyers are answered once their orders have left the stream, because from then on the ledger
     * is read for them.
     */
    private CompletableFuture<Void> acknowledge(
            Batch batch, List<StreamEntry> orders, List<String> entries) {
        String decided = batch.decided(orders, owner::isAwaited);
        return tools.stream().acknowledge(partition, batch, entries, decided)
                .thenRun(() -> owner.decided(partition, decided));
    }

    /** The next batch, requested before this one is written; null if there is probably none. */
    private @Nullable CompletableFuture<OrderStream.Part> readAhead(OrderStream.Part part) {
        after = part.last();
        boolean wasFull = part.entries() == entriesMax;
        entriesMax = part.nextEntries(entriesMax, tools.config().batch());
        return wasFull ? read() : null;
    }

    /** If deferring ends meanwhile, all wait for the next poll, so that their order is kept. */
    private Batch store(List<StreamEntry> read) {
        Batch batch = new Batch();
        List<StreamEntry> orders = deferring ? batch.deferNumbered(read) : read;
        if (!orders.isEmpty()) {
            batch.add(tools.store().store(partition.index(), token, orders));
        }
        if (!batch.failed().isEmpty()) {
            retryIn(tools.config().retry().toMillis());
        }
        deferring |= batch.hasDeferred();
        owner.stored(batch);
        return batch;
    }

    private void retry() {
        Long nextMs = tools.store().retry(partition.index(), token, (entry, batch) -> {
            owner.stored(batch);
            acknowledge(batch, List.of(entry), List.of()).join();
        });
        retrying = false;
        if (nextMs != null) {
            retryIn(nextMs);
        }
    }

    private void retryIn(long ms) {
        long nanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        retryNanos = retrying && retryNanos - nanos < 0 ? retryNanos : nanos;
        retrying = true;
    }
}
