package dev.rush.order;

import dev.rush.redis.Partition;
import dev.rush.redis.RedisFailure;
import java.util.ArrayList;
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

    private final Writer writer;
    private final Partition partition;
    private final long token;
    private final Map<String, Tries> tries = new HashMap<>();
    private volatile boolean stopped;
    /** The entry after which is read. */
    private String after = OrderStream.START;
    private long restMs = REST_FIRST_MS;
    private long awayMs = AWAY_FIRST_MS;
    private ScheduledFuture<?> nextLook;
    private boolean looking;
    private boolean wakened;
    private boolean away;

    private record Tries(int count, long nextNanos) {
    }

    PartitionReader(Writer writer, Partition partition, long token) {
        this.writer = writer;
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
        long most = writer.restMs(partition);
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
            nextLook = writer.scheduler().schedule(this::look, ms, TimeUnit.MILLISECONDS);
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
        read().whenComplete((entries, failure) -> {
            if (failure != null) {
                LOG.log(isExpected(failure) ? Logger.Level.DEBUG : Logger.Level.ERROR,
                        "Partition " + partition.index() + " cannot be read", failure);
                after = OrderStream.START;
                away();
            } else if (!entries.isEmpty()) {
                drainLater(entries);
            } else {
                rest();
            }
        });
    }

    private static boolean isExpected(Throwable failure) {
        return failure instanceof RedisFailure || failure.getCause() instanceof RedisFailure;
    }

    /** Entries are understood on a thread of their own, not where Redis is spoken to. */
    private CompletableFuture<List<StreamEntry>> read() {
        return writer.stream().read(partition, after, writer.batch())
                .thenApplyAsync(OrderStream::entries, writer.scheduler());
    }

    private boolean isRetryDue() {
        long now = System.nanoTime();
        return tries.values().stream().anyMatch(entry -> entry.nextNanos - now <= 0);
    }

    private void rest() {
        long most = writer.restMs(partition);
        restMs = Math.min(2 * restMs, most);
        long retryMs = tries.isEmpty() ? most : writer.retryMs();
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

    private void drainLater(List<StreamEntry> entries) {
        // Told before anything is stored, so that what waits is measured while the ledger is away.
        writer.found(partition);
        try {
            writer.workers().execute(() -> drain(entries));
        } catch (RejectedExecutionException e) {
            stopped = true;
        }
    }

    /** Writes batch after batch; gives way to other partitions after some. */
    private void drain(List<StreamEntry> first) {
        List<StreamEntry> entries = first;
        CompletableFuture<Void> settling = CompletableFuture.completedFuture(null);
        try {
            for (int round = 0; !stopped && !entries.isEmpty(); round++) {
                CompletableFuture<List<StreamEntry>> next = readAhead(entries);
                List<StreamEntry> settled = store(entries);
                settling.join();
                settling = settled.isEmpty() ? settling : settleLater(settled);
                if (next == null) {
                    break;
                }
                entries = next.join();
                if (round == ROUNDS_MAX && !entries.isEmpty()) {
                    settling.join();
                    drainLater(entries);
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

    private CompletableFuture<Void> settleLater(List<StreamEntry> settled) {
        return CompletableFuture.supplyAsync(() ->
                        writer.stream().settle(partition, settled, true), writer.scheduler())
                .thenCompose(settling -> settling);
    }

    /** The next batch, asked for before this one is written; null when there is likely none. */
    private CompletableFuture<List<StreamEntry>> readAhead(List<StreamEntry> entries) {
        after = entries.get(entries.size() - 1).id();
        return entries.size() < writer.batch() ? null : read();
    }

    /** Writes a batch and says what may leave the stream. */
    private List<StreamEntry> store(List<StreamEntry> entries) {
        List<StreamEntry> settled = new ArrayList<>(entries.size());
        List<StreamEntry> wanted = new ArrayList<>(entries.size());
        long now = System.nanoTime();
        for (StreamEntry entry : entries) {
            Tries before = tries.isEmpty() ? null : tries.get(entry.id());
            if (before == null || before.nextNanos - now <= 0) {
                wanted.add(entry);
            }
        }
        if (!wanted.isEmpty()) {
            Batch batch = writer.store().store(partition.index(), token, wanted);
            batch.rejections().forEach(writer::rejected);
            batch.failed().forEach(this::failed);
            settled.addAll(batch.settled());
            if (!tries.isEmpty()) {
                batch.settled().forEach(entry -> tries.remove(entry.id()));
            }
        }
        return settled;
    }

    /** Tries an entry again later, or gives it up to an operator. */
    private void failed(StreamEntry entry, String reason) {
        Tries before = tries.get(entry.id());
        int count = before == null ? 1 : before.count + 1;
        LOG.warnf("Entry %s of partition %d cannot be stored (try %d of %d): %s", entry.id(),
                partition.index(), count, writer.triesMax(), reason);
        if (count < writer.triesMax()) {
            long pauseMs = writer.retryMs() << Math.min(count - 1, 20);
            tries.put(entry.id(), new Tries(count,
                    System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pauseMs)));
            return;
        }
        writer.deadLetters().add(partition.index(), token, entry, reason, count);
        writer.stream().settle(partition, List.of(entry), false).join();
        tries.remove(entry.id());
        writer.buried();
        LOG.errorf("Entry %s of partition %d is a dead letter: %s", entry.id(), partition.index(),
                reason);
    }
}
