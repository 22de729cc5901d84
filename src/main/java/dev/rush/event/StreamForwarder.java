package dev.rush.event;

import dev.rush.RushConfig;
import dev.rush.WriterConfig;
import dev.rush.ledger.writer.Backlogs;
import dev.rush.ledger.writer.OrderStream;
import dev.rush.ledger.writer.PollRate;
import dev.rush.ledger.writer.Writer;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.redis.cluster.RedisStartup;
import dev.rush.task.LoggedTask;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;

/**
 * Moves accepted orders and grabs from Redis to Kafka if there is no ledger ({@code
 * rush.orders.sink=kafka}), at least once. The pod that holds a partition's lease forwards the
 * partition. The lease is a key of that partition, so an unreachable partition delays no other. A
 * pod takes any free partition, so pods that start together share them at random.
 */
@Singleton
class StreamForwarder {

    private static final Logger LOG = Logger.getLogger(StreamForwarder.class);
    private static final long STOP_MS = 5_000;

    private final Partitions partitions;
    private final RedisCommands redis;
    private final RedisStartup startup;
    private final Writer writer;
    private final Backlogs backlogs;
    private final WriterConfig config;
    private final boolean active;
    private final long leaseMs;
    private final String me = UUID.randomUUID().toString();
    private final Map<Integer, PartitionForwarder> forwarders = new ConcurrentHashMap<>();
    /** The last renewal of each partition. */
    private final Map<Integer, CompletableFuture<Long>> renewals = new ConcurrentHashMap<>();
    private final ScheduledExecutorService scheduler;
    private final ExecutorService workers;
    private final PartitionForwarder.Tools tools;
    private volatile boolean stopping;
    private final PollRate rate;
    private int round;

    @Inject
    StreamForwarder(Partitions partitions, RedisCommands redis, RedisStartup startup,
            Writer writer, Backlogs backlogs, OrderStream stream, KafkaTopic topic,
            RushConfig config) {
        this.partitions = partitions;
        this.redis = redis;
        this.startup = startup;
        this.writer = writer;
        this.backlogs = backlogs;
        this.config = config.writer();
        this.rate = new PollRate(this.config);
        this.active = config.orders().sink() == RushConfig.Sink.KAFKA && config.role().writes();
        this.leaseMs = this.config.lease().toMillis();
        this.scheduler = Executors.newScheduledThreadPool(
                2, new DefaultThreadFactory("forwarder-timer", true));
        this.workers = Executors.newFixedThreadPool(
                this.config.threads(), new DefaultThreadFactory("forwarder", true));
        this.tools = new PartitionForwarder.Tools(redis, stream, topic, scheduler, workers, me,
                config.events().kafka().batch());
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            writer.onWake(partition -> {
                PartitionForwarder forwarder = forwarders.get(partition.index());
                if (forwarder != null) {
                    forwarder.wake();
                }
            });
            scheduler.scheduleWithFixedDelay(new LoggedTask("lease renewal", this::renew),
                    0, leaseMs / 4, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * Waits for the tasks that are sending, then releases the leases, so that other pods can
     * continue at once. If one does not end in time, the leases lapse instead.
     */
    void stop(@Observes ShutdownEvent event) {
        synchronized (this) {
            stopping = true;
        }
        forwarders.values().forEach(PartitionForwarder::stop);
        workers.shutdown();
        try {
            if (workers.awaitTermination(STOP_MS, TimeUnit.MILLISECONDS)) {
                List<CompletableFuture<Long>> released = renewals.keySet().stream()
                        .map(this::release).toList();
                CompletableFuture.allOf(released.toArray(CompletableFuture[]::new))
                        .exceptionally(failure -> null).get(STOP_MS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debugf("The leases could not be released and will lapse: %s", e.getMessage());
        }
        scheduler.shutdownNow();
    }

    /**
     * Renews this pod's leases on every call, and tries to take all others on every fourth call,
     * once per lease duration.
     */
    private synchronized void renew() {
        if (stopping || !startup.isReached()) {
            return;
        }
        boolean takesOthers = round++ % 4 == 0;
        List<Partition> all = new ArrayList<>(partitions.all());
        Collections.shuffle(all);
        for (Partition partition : all) {
            if (takesOthers || forwarders.containsKey(partition.index())) {
                long now = System.nanoTime();
                CompletableFuture<Long> renewal = lease(partition, leaseMs);
                renewals.put(partition.index(), renewal);
                renewal.whenComplete((token, failure) -> {
                    if (failure == null) {
                        hold(partition, token, now);
                    } else {
                        LOG.debugf("No lease of partition %d: %s", partition.index(),
                                failure.getMessage());
                    }
                });
            }
        }
    }

    private CompletableFuture<Long> lease(Partition partition, long ms) {
        return redis.script(EventScripts.LEASE, partition.keys().named("lease"),
                List.of(me, Long.toString(ms))).thenApply(reply -> reply.number());
    }

    /** Releases a lease after its last renewal, which could otherwise take it again. */
    private CompletableFuture<Long> release(int index) {
        return renewals.getOrDefault(index, CompletableFuture.completedFuture(0L))
                .exceptionally(failure -> 0L)
                .thenCompose(token -> lease(partitions.all().get(index), 0));
    }

    /** Records a lease, whose duration is counted from its request. */
    private synchronized void hold(Partition partition, long token, long requestedNanos) {
        int index = partition.index();
        PartitionForwarder held = forwarders.get(index);
        if (held != null && (held.token() != token || held.isStopped())) {
            LOG.debugf("Partition %d is forwarded under another token", index);
            held.stop();
            forwarders.remove(index);
            held = null;
        }
        if (token == 0 || stopping) {
            return;
        }
        if (held == null) {
            held = new PartitionForwarder(tools, new Owner(), partition, token);
            forwarders.put(index, held);
            held.renewed(requestedNanos + TimeUnit.MILLISECONDS.toNanos(leaseMs));
            held.start();
        } else {
            held.renewed(requestedNanos + TimeUnit.MILLISECONDS.toNanos(leaseMs));
        }
    }

    /** The callbacks of partition forwarders. */
    private final class Owner implements PartitionForwarder.Owner {

        @Override
        public long pauseMaxMs() {
            return rate.pauseMs(forwarders.size());
        }

        @Override
        public void found(Partition partition) {
            backlogs.moved(partition);
            if (rate.found()) {
                forwarders.values().forEach(PartitionForwarder::pollSoon);
            }
        }
    }
}
