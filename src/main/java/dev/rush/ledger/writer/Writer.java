package dev.rush.ledger.writer;

import dev.rush.RushConfig;
import dev.rush.WriterConfig;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.Offer;
import dev.rush.ledger.OfferCache;
import dev.rush.ledger.PartitionLeases;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.task.LoggedTask;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/**
 * Moves accepted orders and grabs from Redis into the ledger: at least once out of the streams,
 * exactly once into the tables. Each partition that this pod holds has a reader.
 */
@Singleton
public class Writer {

    private static final Logger LOG = Logger.getLogger(Writer.class);
    /** Poll interval of partitions in which nothing was ever prepared. */
    private static final long EMPTY_POLL_MS = 30_000;
    private static final long STOP_MS = 5_000;
    private static final long CONTROL_MS = 1_000;

    private final Ledger ledger;
    private final PartitionLeases leases;
    private final Partitions partitions;
    private final OfferCache offers;
    private final WriterConfig config;
    private final boolean active;
    /** Whether all buyers wait for the ledger, whatever their sales request. */
    private final boolean allAwaited;
    private final Counter rejected;
    private final Map<Integer, PartitionReader> readers = new ConcurrentHashMap<>();
    private final ScheduledExecutorService scheduler;
    private final ExecutorService workers;
    private final ReaderTools tools;
    private final Backlogs backlogs;
    private final ControlReader control;
    private volatile BiConsumer<Partition, String> onDecided = (partition, ids) -> { };
    private volatile Consumer<Partition> onWake = partition -> { };
    private volatile boolean stopping;
    /** When changes that scripts decided were last polled, by partition. */
    private final Map<Integer, Long> controlNanos = new ConcurrentHashMap<>();
    private final PollRate rate;

    @Inject
    Writer(Ledger ledger, PartitionLeases leases, Partitions partitions, OrderStream stream,
            BatchStore store, OfferCache offers, Backlogs backlogs,
            ControlReader control, RushConfig config, MeterRegistry registry) {
        this.ledger = ledger;
        this.leases = leases;
        this.partitions = partitions;
        this.offers = offers;
        this.backlogs = backlogs;
        this.control = control;
        this.config = config.writer();
        this.rate = new PollRate(this.config);
        this.active = config.orders().sink().stores() && config.role().writes();
        this.allAwaited = config.durability() == RushConfig.Durability.LEDGER;
        this.rejected = Counter.builder("rush.ledger.rejected")
                .description("Orders and grabs that a guard of the ledger rejected")
                .register(registry);
        this.scheduler = Executors.newScheduledThreadPool(
                2, new DefaultThreadFactory("writer-timer", true));
        this.workers = Executors.newFixedThreadPool(
                this.config.threads(), new DefaultThreadFactory("writer", true));
        this.tools = new ReaderTools(
                stream, store, scheduler, workers, this.config);
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            offers.onBusy(index -> wake(partitions.all().get(index)));
            scheduler.schedule(this::renew, 0, TimeUnit.MILLISECONDS);
            scheduler.scheduleWithFixedDelay(
                    new LoggedTask("poll of control streams", this::control),
                    CONTROL_MS, CONTROL_MS, TimeUnit.MILLISECONDS);
        }
    }

    /** Partitions are polled in turn; those without a sale or rain known to this pod, rarely. */
    private void control() {
        if (!ledger.isReady() || stopping) {
            return;
        }
        Set<Integer> busy = offers.partitions();
        long now = System.nanoTime();
        controlNanos.keySet().retainAll(readers.keySet());
        readers.entrySet().stream().filter(one -> isControlDue(one.getKey(), busy, now))
                .sorted(Comparator.comparingLong(one ->
                        controlNanos.getOrDefault(one.getKey(), Long.MIN_VALUE)))
                .limit(config.idlePolls()).forEach(one -> {
                    controlNanos.put(one.getKey(), now);
                    control.poll(partitions.all().get(one.getKey()), one.getValue().token(),
                            workers);
                });
    }

    private boolean isControlDue(int partition, Set<Integer> busy, long now) {
        Long polled = controlNanos.get(partition);
        boolean isBusy = busy.contains(partition) || ControlReader.hasBlocklist(partition);
        return polled == null || isBusy
                || now - polled > TimeUnit.MILLISECONDS.toNanos(EMPTY_POLL_MS);
    }

    void stop(@Observes ShutdownEvent event) {
        stopping = true;
        readers.values().forEach(PartitionReader::stop);
        workers.shutdown();
        try {
            // A batch that is being stored is still acknowledged.
            workers.awaitTermination(STOP_MS, TimeUnit.MILLISECONDS);
            scheduler.shutdownNow();
            if (active && ledger.isReady()) {
                leases.release();
            }
        } catch (LedgerFailure e) {
            LOG.debugf("The leases lapse by themselves: %s", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void renew() {
        if (stopping) {
            return;
        }
        long nextMs = leases.renewMs();
        try {
            hold(leases.renew());
        } catch (LedgerFailure e) {
            LOG.debugf("The leases could not be renewed: %s", e.getMessage());
            nextMs = Math.min(nextMs, 500);
        } catch (RuntimeException | Error e) {
            LOG.error("The leases could not be renewed", e);
        }
        if (!scheduler.isShutdown()) {
            scheduler.schedule(this::renew, nextMs, TimeUnit.MILLISECONDS);
        }
    }

    private void hold(Map<Integer, Long> tokens) {
        Map<Integer, PartitionReader> before = Map.copyOf(readers);
        before.forEach((index, reader) -> {
            if (!Long.valueOf(reader.token()).equals(tokens.get(index))) {
                reader.stop();
                readers.remove(index);
            }
        });
        tokens.forEach((index, token) -> readers.computeIfAbsent(index, taken -> {
            PartitionReader reader =
                    new PartitionReader(tools, new Readers(), partitions.all().get(index), token);
            reader.start();
            return reader;
        }));
        if (!before.keySet().equals(readers.keySet())) {
            LOG.infof("Writing %d of %d partitions", readers.size(), partitions.count());
        }
    }

    /** Reports that an entry was just added to a partition's stream. Cheap, and may be wrong. */
    public void wake(Partition partition) {
        backlogs.moved(partition);
        onWake.accept(partition);
        PartitionReader reader = readers.get(partition.index());
        if (reader != null) {
            reader.wake();
        }
    }

    /** Registers a listener of this pod for new entries of a stream. */
    public void onWake(Consumer<Partition> listener) {
        onWake = listener;
    }

    /** Registers a listener of this pod for decisions, in the format of {@code acknowledge.lua}. */
    public void onDecided(BiConsumer<Partition, String> listener) {
        onDecided = listener;
    }

    /** The callbacks of readers. */
    private final class Readers implements PartitionReader.Owner {

        @Override
        public long pauseMaxMs(Partition partition) {
            Set<Integer> busy = offers.partitions();
            if (!busy.contains(partition.index())) {
                return EMPTY_POLL_MS;
            }
            long held = readers.keySet().stream().filter(busy::contains).count();
            return rate.pauseMs(held);
        }

        @Override
        public boolean isWatched(Partition partition) {
            return (allAwaited ? offers.partitions() : offers.awaitedPartitions())
                    .contains(partition.index());
        }

        @Override
        public void found(Partition partition) {
            backlogs.moved(partition);
            if (rate.found()) {
                readers.values().forEach(PartitionReader::pollSoon);
            }
        }

        @Override
        public boolean isAwaited(StreamEntry entry) {
            Offer offer = entry instanceof StreamEntry.Purchase purchase
                    ? offers.sale(purchase.sale())
                    : entry instanceof StreamEntry.Grab grab ? offers.rain(grab.rain()) : null;
            // This pod's cache may not yet have a sale that was prepared a moment ago.
            return !(entry instanceof StreamEntry.Malformed)
                    && (allAwaited || offer == null || offer.isAwaited());
        }

        @Override
        public void decided(Partition partition, String ids) {
            onDecided.accept(partition, ids);
        }

        @Override
        public void stored(Batch batch) {
            for (Batch.Refused refused : batch.refused()) {
                if (!refused.isKnown()) {
                    rejected.increment();
                    LOG.errorf("The ledger rejected %s", refused);
                }
            }
            if (batch.dead() > 0) {
                backlogs.refreshDeadLetters();
            }
        }
    }
}
