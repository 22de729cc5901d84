package dev.rush.order;

import dev.rush.RushConfig;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.RedisStartup;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * What waits for the ledger, as metrics. A pod measures the partitions that it holds; while the
 * ledger is away it measures all of them, because nobody may hold those of a pod that has died. A
 * partition in which nothing moved and nothing waited is left alone for a while, so that measuring
 * costs an idle Redis little.
 */
@Singleton
class Backlogs {

    private static final Logger LOG = Logger.getLogger(Backlogs.class);
    private static final long LOOK_MS = 1_000;
    private static final int IDLE_EVERY = 4;

    private final Ledger ledger;
    private final Partitions partitions;
    private final OrderStream stream;
    private final DeadLetters deadLetters;
    private final KnownIds known;
    private final RedisStartup redis;
    private final boolean active;
    private final Map<Integer, OrderStream.Backlog> waiting = new ConcurrentHashMap<>();
    private final Set<Integer> moved = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService scheduler =
            Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, "backlogs");
                thread.setDaemon(true);
                return thread;
            });
    private volatile Set<Integer> held;
    private volatile long dead;
    private volatile boolean deadChanged;
    private int round;
    private int idleNext;

    @Inject
    Backlogs(Ledger ledger, Partitions partitions, OrderStream stream, DeadLetters deadLetters,
            KnownIds known, RedisStartup redis, RushConfig config, MeterRegistry registry) {
        this.ledger = ledger;
        this.partitions = partitions;
        this.stream = stream;
        this.deadLetters = deadLetters;
        this.known = known;
        this.redis = redis;
        this.active = config.orders().sink().stores() && config.role().writes();
        Gauge.builder("rush.ledger.backlog", waiting, map -> map.values().stream()
                .mapToLong(OrderStream.Backlog::entries).sum())
                .description("Accepted orders and grabs that wait for the ledger")
                .register(registry);
        Gauge.builder("rush.ledger.lag", waiting, map -> map.values().stream()
                .mapToLong(OrderStream.Backlog::oldestMs).max().orElse(0) / 1000.0)
                .baseUnit("seconds").description("Age of the oldest of them").register(registry);
        Gauge.builder("rush.ledger.dead.letters", this, self -> self.dead)
                .description("Dead letters that wait for an operator").register(registry);
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            scheduler.scheduleWithFixedDelay(this::look, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
        }
    }

    void stop(@Observes ShutdownEvent event) {
        scheduler.shutdownNow();
    }

    /** The partitions that this pod measures from now on. */
    void hold(Set<Integer> now) {
        held = now;
        waiting.keySet().retainAll(now);
    }

    /** The ledger is away: nobody can tell who holds what, so this pod measures everything. */
    void holdUnknown() {
        held = null;
    }

    void forget(int partition) {
        waiting.remove(partition);
    }

    /** Says that entries of a partition are being moved, or are about to be. */
    void moved(Partition partition) {
        moved.add(partition.index());
    }

    void refreshDeadLetters() {
        deadChanged = true;
    }

    private void look() {
        try {
            round++;
            if (ledger.isReady() && (deadChanged || round % 10 == 0)) {
                deadChanged = false;
                dead = deadLetters.waiting();
            }
        } catch (RuntimeException e) {
            LOG.debugf("Dead letters could not be counted: %s", e.getMessage());
        }
        try {
            if (redis.isReached()) {
                toMeasure().forEach(this::measure);
            }
        } catch (RuntimeException e) {
            LOG.debugf("The backlog could not be measured: %s", e.getMessage());
        }
    }

    /** Where something moved or waits, and in turn some of the others. */
    private List<Integer> toMeasure() {
        Set<Integer> mine = held;
        List<Integer> measured = new ArrayList<>();
        List<Integer> idle = new ArrayList<>();
        Set<Integer> used = known.partitions();
        // Mostly partitions that hold something; now and then another.
        boolean others = round % IDLE_EVERY == 0;
        for (int index = 0; index < partitions.count(); index++) {
            if (mine != null && !mine.contains(index)) {
                continue;
            }
            OrderStream.Backlog last = waiting.get(index);
            boolean busy = moved.remove(index) || last != null && last.entries() > 0
                    || mine == null && used.contains(index);
            if (busy) {
                measured.add(index);
            } else if (others != used.contains(index)) {
                idle.add(index);
            }
        }
        if (!idle.isEmpty()) {
            measured.add(idle.get(idleNext++ % idle.size()));
        }
        return measured;
    }

    private void measure(int index) {
        stream.backlog(partitions.all().get(index)).whenComplete((backlog, failure) -> {
            Set<Integer> mine = held;
            if (failure == null && (mine == null || mine.contains(index))) {
                waiting.put(index, backlog);
            }
        });
    }
}
