package dev.rush.event;

import dev.rush.ledger.writer.OrderStream;
import dev.rush.ledger.writer.PollTimer;
import dev.rush.ledger.writer.StreamEntry;
import dev.rush.redis.Partition;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.cluster.RedisCommands;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import org.jboss.logging.Logger;

/**
 * Forwards the stream of one partition while this pod holds its lease. Each poll starts at the head
 * of the stream, so it includes entries that a previous forwarder read. An entry leaves the stream
 * once Kafka has acknowledged all of its events, and only under the lease's current token.
 */
final class PartitionForwarder {

    private static final Logger LOG = Logger.getLogger(PartitionForwarder.class);

    private final Tools tools;
    private final Owner owner;
    private final Partition partition;
    private final long token;
    private final PollTimer timer;
    private volatile long leasedUntilNanos;
    private int entriesMax = OrderStream.ENTRIES_FIRST;

    /**
     * Collaborators of forwarders.
     *
     * @param workers run tasks that wait for Kafka and for the removal
     * @param holder  of this pod's leases
     * @param batch   events per page
     */
    record Tools(RedisCommands redis, OrderStream stream, KafkaTopic topic,
            ScheduledExecutorService scheduler, ExecutorService workers, String holder,
            int batch) {
    }

    /** The callbacks of the pod. */
    interface Owner {

        /** Longest pause between two polls of an empty stream, in milliseconds. */
        long pauseMaxMs();

        /** Called when a poll has found entries. */
        void found(Partition partition);
    }

    PartitionForwarder(Tools tools, Owner owner, Partition partition, long token) {
        this.tools = tools;
        this.owner = owner;
        this.partition = partition;
        this.token = token;
        this.timer = new PollTimer(tools.scheduler, owner::pauseMaxMs, this::poll);
    }

    long token() {
        return token;
    }

    /** Whether it has stopped for good. */
    boolean isStopped() {
        return timer.isStopped();
    }

    /** Extends the lease, after whose end another pod may begin. */
    void renewed(long endNanos) {
        leasedUntilNanos = endNanos;
    }

    void start() {
        timer.start();
    }

    void stop() {
        timer.stop();
    }

    /** Polls now, because an entry has just been added to the stream. */
    void wake() {
        timer.wake();
    }

    /** Shortens the current pause to the present limit. */
    void pollSoon() {
        timer.pollSoon();
    }

    private boolean isLeased() {
        return !timer.isStopped() && leasedUntilNanos - System.nanoTime() > 0;
    }

    private void poll() {
        if (!isLeased()) {
            timer.retryLater();
            return;
        }
        tools.stream.read(partition, OrderStream.START, entriesMax)
                .thenApplyAsync(OrderStream.Part::of, tools.scheduler)
                .thenAccept(part -> {
                    if (part.entries() == 0) {
                        timer.backOff(Long.MAX_VALUE);
                    } else {
                        owner.found(partition);
                        forwardLater(part);
                    }
                })
                .exceptionally(failure -> {
                    failed(failure);
                    return null;
                });
    }

    private void failed(Throwable failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        LOG.logf(cause instanceof RedisFailure ? Logger.Level.DEBUG : Logger.Level.ERROR, failure,
                "Partition %d cannot be forwarded", partition.index());
        timer.retryLater();
    }

    private void forwardLater(OrderStream.Part part) {
        try {
            tools.workers.execute(() -> {
                try {
                    forward(part);
                } catch (RuntimeException | Error e) {
                    failed(e);
                }
            });
        } catch (RejectedExecutionException e) {
            timer.stop();
        }
    }

    /** Sends the events of these entries, and removes entries that Kafka has acknowledged. */
    private void forward(OrderStream.Part part) {
        Map<String, List<CloudEvent>> byEntry = new LinkedHashMap<>();
        for (StreamEntry entry : part.orders()) {
            List<CloudEvent> events =
                    byEntry.computeIfAbsent(entry.id(), id -> new ArrayList<>());
            if (entry instanceof StreamEntry.Malformed malformed) {
                LOG.errorf("Entry %s of partition %d goes to Kafka as a dead letter: %s",
                        entry.id(), partition.index(), malformed.reason());
            }
            events.add(AcceptedEvents.of(partition, entry, events.size()));
        }
        List<CloudEvent> all = byEntry.values().stream().flatMap(List::stream).toList();
        if (!isLeased()) {
            timer.retryLater();
            return;
        }
        Set<String> acknowledged = tools.topic.send(all);
        List<String> done = byEntry.entrySet().stream()
                .filter(entry -> entry.getValue().stream()
                        .allMatch(event -> acknowledged.contains(event.id())))
                .map(Map.Entry::getKey).toList();
        if (done.isEmpty()) {
            timer.retryLater();
            return;
        }
        boolean isComplete = done.size() == byEntry.size();
        entriesMax = part.nextEntries(entriesMax, tools.batch);
        remove(done, isComplete);
    }

    private void remove(List<String> entries, boolean isComplete) {
        List<String> args = new ArrayList<>(List.of(tools.holder, Long.toString(token)));
        args.addAll(entries);
        // Waits, so that a pod that stops releases the lease only after the removal.
        long removed = tools.redis.script(EventScripts.FORWARDED,
                partition.keys().orders().named("lease"), args).join().number();
        if (removed < 0) {
            LOG.infof("Another pod forwards partition %d now", partition.index());
            timer.stop();
        } else if (isComplete) {
            timer.pollAgain();
        } else {
            timer.retryLater();
        }
    }
}
