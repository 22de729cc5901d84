package dev.rush.order;

import dev.rush.redis.Partition;
import dev.rush.redis.RedisFailure;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 * two looks it rests, longer the longer nothing came.
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
    /** What could not be stored, by entry and fields. The rest of such an entry was stored. */
    private final Map<String, Map<Map<String, String>, Tries>> tries = new HashMap<>();
    private volatile boolean stopped;
    /** The entry after which is read. */
    private String after = OrderStream.START;
    private int entriesMost = ENTRIES_FIRST;
    private long restMs = REST_FIRST_MS;
    private long awayMs = AWAY_FIRST_MS;
    private ScheduledFuture<?> nextLook;
    private boolean looking;
    private boolean wakened;
    private boolean away;

    private record Tries(int count, long nextNanos) {
    }

    /** The writer, as its readers see it. */
    interface Owner {

        /** How long a partition may go without a look when nothing happens. */
        long restMs(Partition partition);

        /** Something was found in a partition. */
        void found(Partition partition);

        /** A guard of the ledger refused this. */
        void rejected(String what);

        /** An order has become a dead letter. */
        void deadLettered();
    }

    PartitionReader(ReaderTools tools, Owner owner, Partition partition, long token) {
        this.tools = tools;
        this.owner = owner;
        this.partition = partition;
        this.token = token;
    }

    long token() {
        return token;
    }

    void stop() {
        stopped = true;
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
        if (tries.isEmpty() || isRetryDue()) {
            after = OrderStream.START;
        }
        read().whenComplete((part, failure) -> {
            if (failure != null) {
                LOG.log(isExpected(failure) ? Logger.Level.DEBUG : Logger.Level.ERROR,
                        "Partition " + partition.index() + " cannot be read", failure);
                after = OrderStream.START;
                away();
            } else if (part.entries() > 0) {
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
        long now = System.nanoTime();
        return tries.values().stream().flatMap(entry -> entry.values().stream())
                .anyMatch(order -> order.nextNanos - now <= 0);
    }

    private void rest() {
        long most = owner.restMs(partition);
        restMs = Math.min(2 * restMs, most);
        long retryMs = tries.isEmpty() ? most : tools.retryMs();
        lookIn(Math.min(restMs, retryMs));
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
        owner.found(partition);
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
            for (int round = 0; !stopped && part.entries() > 0; round++) {
                CompletableFuture<OrderStream.Part> next = readAhead(part);
                List<String> settled = store(part.orders());
                settling.join();
                settling = settled.isEmpty() ? settling : settleLater(settled);
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
        } catch (BatchStore.Fenced e) {
            LOG.infof("Partition %d is another writer's now", partition.index());
            stopped = true;
        } catch (LedgerFailure | CompletionException e) {
            LOG.debugf("Partition %d has to wait: %s", partition.index(), e.getMessage());
            after = OrderStream.START;
            away();
        } catch (RuntimeException e) {
            LOG.errorf(e, "Partition %d could not be written", partition.index());
            after = OrderStream.START;
            away();
        }
    }

    private CompletableFuture<Void> settleLater(List<String> settled) {
        return CompletableFuture.supplyAsync(() ->
                        tools.stream().settle(partition, settled), tools.scheduler())
                .thenCompose(settling -> settling);
    }

    /** The next batch, asked for before this one is written; null when there is likely none. */
    private CompletableFuture<OrderStream.Part> readAhead(OrderStream.Part part) {
        after = part.last();
        boolean wasFull = part.entries() == entriesMost;
        int fitting = (int) ((long) tools.config().batch() * part.entries() / part.orders().size());
        entriesMost = Math.max(1, Math.min(Math.min(fitting, 2 * entriesMost), ENTRIES_MAX));
        return wasFull ? read() : null;
    }

    /** Writes orders and says which entries may leave the stream. */
    private List<String> store(List<StreamEntry> orders) {
        long now = System.nanoTime();
        List<StreamEntry> wanted = tries.isEmpty() ? orders : orders.stream()
                .filter(order -> isWanted(order, now)).toList();
        if (!wanted.isEmpty()) {
            Batch batch = tools.store().store(partition.index(), token, wanted);
            batch.rejections().forEach(owner::rejected);
            batch.failed().forEach(this::failed);
            if (!tries.isEmpty()) {
                batch.settled().forEach(this::forget);
            }
        }
        return orders.stream().map(StreamEntry::id).distinct()
                .filter(entry -> !tries.containsKey(entry)).toList();
    }

    private boolean isWanted(StreamEntry order, long now) {
        Map<Map<String, String>, Tries> failed = tries.get(order.id());
        Tries before = failed == null ? null : failed.get(order.fields());
        return failed == null || before != null && before.nextNanos - now <= 0;
    }

    private void forget(StreamEntry order) {
        tries.computeIfPresent(order.id(), (entry, failed) -> {
            failed.remove(order.fields());
            return failed.isEmpty() ? null : failed;
        });
    }

    /** Tries an order again later, or gives it up to an operator. */
    private void failed(StreamEntry order, String reason) {
        Map<Map<String, String>, Tries> failed =
                tries.computeIfAbsent(order.id(), entry -> new HashMap<>());
        Tries before = failed.get(order.fields());
        int count = before == null ? 1 : before.count + 1;
        LOG.warnf("Entry %s of partition %d cannot be stored (try %d of %d): %s", order.id(),
                partition.index(), count, tools.config().tries(), reason);
        long pauseMs = tools.retryMs() << Math.min(count - 1, 20);
        failed.put(order.fields(), new Tries(count,
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pauseMs)));
        if (count < tools.config().tries()) {
            return;
        }
        tools.deadLetters().add(partition.index(), token, order, reason, count);
        forget(order);
        owner.deadLettered();
        LOG.errorf("Entry %s of partition %d is a dead letter: %s", order.id(), partition.index(),
                reason);
    }
}
