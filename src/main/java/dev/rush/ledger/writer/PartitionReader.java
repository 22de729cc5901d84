package dev.rush.ledger.writer;

import dev.rush.ledger.LedgerFailure;
import dev.rush.redis.Partition;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.cluster.StreamWatch;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Moves the entries of one partition into the ledger while this pod holds its lease. Each look
 * reads from the beginning of the stream, hence also what a writer before read and did not settle.
 * One batch is written at a time; the next is read, and the one before settled, meanwhile. Between
 * two looks it rests, longer the longer nothing came, and where somebody may wait for the ledger
 * until something comes.
 */
final class PartitionReader {

    private static final Logger LOG = Logger.getLogger(PartitionReader.class);
    private static final long REST_FIRST_MS = 10;
    private static final long AWAY_FIRST_MS = 100;
    private static final long AWAY_MAX_MS = 2_000;
    private static final int ROUNDS_MAX = 20;
    private static final int ENTRIES_FIRST = 8;
    /** Entries of one read, so that it has a bound even where calls begin to grow. */
    private static final int ENTRIES_MAX = 250;

    private final ReaderTools tools;
    private final Owner owner;
    private final Partition partition;
    private final long token;
    private final StreamWatch watch;
    private volatile boolean stopped;
    /** When to look for what is to be tried again; what a writer before kept counts too. */
    private long retryNanos = System.nanoTime();
    private boolean retrying = true;
    /** The entry after which is read. */
    private String after = OrderStream.START;
    private int entriesMost = ENTRIES_FIRST;
    private long restMs = REST_FIRST_MS;
    private long awayMs = AWAY_FIRST_MS;
    private ScheduledFuture<?> nextLook;
    private boolean looking;
    private boolean wakened;
    private boolean away;

    /** The writer, as its readers see it. */
    interface Owner {

        /** How long a partition may go without a look when nothing happens. */
        long restMs(Partition partition);

        /** Whether somebody may wait for the ledger here, so that nothing may lie for long. */
        boolean isWatched(Partition partition);

        /** Something was found in a partition. */
        void found(Partition partition);

        /** Whether somebody may wait for what the ledger says to this order or grab. */
        boolean isAwaited(StreamEntry entry);

        /** This was decided, in words as {@link Batch#decided} has them; empty for nothing. */
        void decided(Partition partition, String ids);

        /** What a batch refused or gave up; nothing, most often. */
        void told(Batch batch);
    }

    PartitionReader(ReaderTools tools, Owner owner, Partition partition, long token) {
        this.tools = tools;
        this.owner = owner;
        this.partition = partition;
        this.token = token;
        this.watch = tools.stream().watch(partition, this::wake);
    }

    long token() {
        return token;
    }

    void stop() {
        stopped = true;
        watch.stop();
    }

    void start() {
        lookIn(0);
    }

    /** Looks now, because something has just entered the stream. */
    synchronized void wake() {
        if (looking) {
            wakened = true;
        } else if (!away && nextLook != null && restMs > REST_FIRST_MS && nextLook.cancel(false)) {
            restMs = REST_FIRST_MS;
            lookIn(0);
        }
    }

    /** Rests no longer than it now has to. */
    synchronized void hurry() {
        long most = owner.restMs(partition);
        if (!looking && !away && nextLook != null && restMs > most && nextLook.cancel(false)) {
            restMs = most;
            lookIn(ThreadLocalRandom.current().nextLong(most));
        }
    }

    private synchronized void lookIn(long ms) {
        if (stopped) {
            return;
        }
        looking = false;
        away = false;
        if (wakened) {
            wakened = false;
            ms = Math.min(ms, REST_FIRST_MS);
        }
        try {
            nextLook = tools.scheduler().schedule(this::look, ms, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            stopped = true;
        }
    }

    private void look() {
        synchronized (this) {
            looking = true;
        }
        after = OrderStream.START;
        read().whenComplete((part, failure) -> {
            if (failure != null) {
                LOG.log(isExpected(failure) ? Logger.Level.DEBUG : Logger.Level.ERROR,
                        "Partition " + partition.index() + " cannot be read", failure);
                away();
            } else if (part.entries() > 0 || isRetryDue()) {
                drainLater(part);
            } else {
                rest();
            }
        });
    }

    private static boolean isExpected(Throwable failure) {
        return failure instanceof RedisFailure || failure.getCause() instanceof RedisFailure;
    }

    /** Entries are understood on a thread of their own, not where Redis is spoken to. */
    private CompletableFuture<OrderStream.Part> read() {
        return tools.stream().read(partition, after, entriesMost)
                .thenApplyAsync(OrderStream.Part::of, tools.scheduler());
    }

    private boolean isRetryDue() {
        return retrying && retryNanos - System.nanoTime() <= 0;
    }

    private void rest() {
        if (owner.isWatched(partition)) {
            watch.look();
        }
        long most = owner.restMs(partition);
        restMs = Math.min(2 * restMs, most);
        lookIn(retrying ? Math.min(restMs, Math.max(1, TimeUnit.NANOSECONDS.toMillis(
                retryNanos - System.nanoTime()))) : restMs);
    }

    private void away() {
        wakened = false;
        lookIn(awayMs);
        synchronized (this) {
            away = !looking;
        }
        awayMs = Math.min(2 * awayMs, AWAY_MAX_MS);
    }

    private void drainLater(OrderStream.Part part) {
        // Told before anything is stored, so that what waits is measured while the ledger is away.
        if (part.entries() > 0) {
            owner.found(partition);
        }
        try {
            tools.workers().execute(() -> drain(part));
        } catch (RejectedExecutionException e) {
            stopped = true;
        }
    }

    /** Writes batch after batch; gives way to other partitions after some. */
    private void drain(OrderStream.Part first) {
        OrderStream.Part part = first;
        CompletableFuture<Void> settling = CompletableFuture.completedFuture(null);
        try {
            if (isRetryDue()) {
                retry();
            }
            for (int round = 0; !stopped && part.entries() > 0; round++) {
                CompletableFuture<OrderStream.Part> next = readAhead(part);
                Batch batch = store(part.orders());
                settling.join();
                settling = settleLater(batch, part.orders());
                if (next == null) {
                    break;
                }
                part = next.join();
                if (round == ROUNDS_MAX && part.entries() > 0) {
                    settling.join();
                    drainLater(part);
                    return;
                }
            }
            settling.join();
            restMs = REST_FIRST_MS;
            awayMs = AWAY_FIRST_MS;
            lookIn(0);
        } catch (Fence.Fenced e) {
            LOG.infof("Partition %d is another writer's now", partition.index());
            stopped = true;
        } catch (RuntimeException e) {
            if (isOutage(e)) {
                LOG.debugf("Partition %d has to wait: %s", partition.index(), e.getMessage());
            } else {
                LOG.errorf(e, "Partition %d could not be written", partition.index());
            }
            away();
        }
    }

    private static boolean isOutage(RuntimeException failure) {
        return failure instanceof CompletionException
                || failure instanceof LedgerFailure ledger && ledger.isOutage();
    }

    /** Every entry that was read may leave the stream. */
    private CompletableFuture<Void> settleLater(Batch batch, List<StreamEntry> orders) {
        return CompletableFuture.supplyAsync(() -> settle(batch, orders,
                        orders.stream().map(StreamEntry::id).distinct().toList()),
                tools.scheduler()).thenCompose(settling -> settling);
    }

    /** Buyers are told once their orders have left the stream: from then on the ledger has them. */
    private CompletableFuture<Void> settle(
            Batch batch, List<StreamEntry> orders, List<String> entries) {
        String decided = batch.decided(orders, owner::isAwaited);
        return tools.stream().settle(partition, batch, entries, decided)
                .thenRun(() -> owner.decided(partition, decided));
    }

    /** The next batch, asked for before this one is written; null when there is likely none. */
    private CompletableFuture<OrderStream.Part> readAhead(OrderStream.Part part) {
        after = part.last();
        boolean wasFull = part.entries() == entriesMost;
        int fitting = Math.round((float) tools.config().batch() * part.entries()
                / part.orders().size());
        entriesMost = Math.max(1, Math.min(Math.min(fitting, 2 * entriesMost), ENTRIES_MAX));
        return wasFull ? read() : null;
    }

    private Batch store(List<StreamEntry> orders) {
        Batch batch = tools.store().store(partition.index(), token, orders);
        if (!batch.failed().isEmpty()) {
            retryIn(tools.config().retry().toMillis());
        }
        owner.told(batch);
        return batch;
    }

    private void retry() {
        BatchStore.Retried retried = tools.store().retry(partition.index(), token);
        retrying = false;
        if (retried.nextMs() != null) {
            retryIn(retried.nextMs());
        }
        owner.told(retried.batch());
        if (!retried.tried().isEmpty()) {
            settle(retried.batch(), retried.tried(), List.of()).join();
        }
    }

    private void retryIn(long ms) {
        long nanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        retryNanos = retrying && retryNanos - nanos < 0 ? retryNanos : nanos;
        retrying = true;
    }
}
