package dev.rush.ledger.writer;

import dev.rush.RushConfig;
import dev.rush.ledger.Ledger;
import dev.rush.metrics.KnownGauge;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisStartup;
import dev.rush.task.LoggedTask;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Metrics of the orders that wait for the ledger, or for Kafka without one. Every pod measures
 * every partition, whatever its role, because all writers may be down. Partitions with a backlog or
 * recent activity are measured every second, at most {@value #BUSY_MAX} of them, and each other
 * one about once a minute, so that an idle pod costs Redis little.
 */
@Singleton
public class Backlogs {

    private static final Logger LOG = Logger.getLogger(Backlogs.class);
    private static final long POLL_MS = 1_000;
    private static final int BUSY_MAX = 32;
    /** Rounds in which every partition is measured once. */
    private static final int CYCLE = 64;
    /** Partitions measured per round until each has been measured once. */
    private static final int FIRST_MAX = 128;
    private static final int DEAD_LETTERS_EVERY = 10;
    /** Older measurements are not reported, because their master is down. */
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(150);

    private final Ledger ledger;
    private final Partitions partitions;
    private final OrderStream stream;
    private final DeadLetters deadLetters;
    private final RedisStartup redis;
    private final boolean active;
    private final boolean writes;
    private final KnownGauge entries;
    private final KnownGauge lag;
    private final KnownGauge dead;
    private final Map<Integer, Measured> measured = new ConcurrentHashMap<>();
    private final Set<Integer> moved = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService scheduler =
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("backlogs", true));
    private volatile boolean deadChanged = true;
    private boolean complete;
    private int round;
    private int next;
    private int busyNext;

    private record Measured(OrderStream.Backlog backlog, long nanos) {
    }

    @Inject
    Backlogs(Ledger ledger, Partitions partitions, OrderStream stream, DeadLetters deadLetters,
            RedisStartup redis, RushConfig config, MeterRegistry registry) {
        this.ledger = ledger;
        this.partitions = partitions;
        this.stream = stream;
        this.deadLetters = deadLetters;
        this.redis = redis;
        this.active = config.orders().sink().streams();
        this.writes = config.role().writes();
        this.entries = new KnownGauge(registry, "rush.ledger.backlog", null,
                "Accepted orders and grabs that wait for the ledger");
        this.lag = new KnownGauge(registry, "rush.ledger.lag", "seconds",
                "Age of the oldest of them");
        this.dead = new KnownGauge(registry, "rush.ledger.dead.letters", null,
                "Dead letters that wait for an operator");
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            scheduler.scheduleWithFixedDelay(
                    new LoggedTask("backlog measurement", this::poll),
                    POLL_MS, POLL_MS, TimeUnit.MILLISECONDS);
        }
    }

    void stop(@Observes ShutdownEvent event) {
        scheduler.shutdownNow();
    }

    /** Reports that entries have entered a partition, or are being moved out of it. */
    public void moved(Partition partition) {
        if (active) {
            moved.add(partition.index());
        }
    }

    void refreshDeadLetters() {
        deadChanged = true;
    }

    private void poll() {
        try {
            round++;
            countDeadLetters();
        } catch (RuntimeException e) {
            dead.forget();
            LOG.debugf("Dead letters could not be counted: %s", e.getMessage());
        }
        try {
            if (redis.isReached()) {
                toMeasure().forEach(this::measure);
            }
            report();
        } catch (RuntimeException e) {
            LOG.debugf("The backlog could not be measured: %s", e.getMessage());
        }
    }

    private void countDeadLetters() {
        if (writes && !ledger.isReady()) {
            deadChanged = true;
            dead.forget();
        } else if (writes && (deadChanged || round % DEAD_LETTERS_EVERY == 0)) {
            deadChanged = false;
            dead.set(deadLetters.waiting());
        }
    }

    /** Partitions with a backlog or activity, and in turn some of the others. */
    private Collection<Integer> toMeasure() {
        List<Integer> waiting = measured.entrySet().stream()
                .filter(entry -> entry.getValue().backlog.orders() > 0)
                .map(Map.Entry::getKey).sorted().toList();
        moved.addAll(waiting);
        Set<Integer> chosen = new LinkedHashSet<>();
        List<Integer> busy = moved.stream().sorted().toList();
        for (int i = 0; i < Math.min(BUSY_MAX, busy.size()); i++) {
            chosen.add(busy.get(busyNext++ % busy.size()));
        }
        moved.removeAll(chosen);
        int count = partitions.count();
        int others = complete ? (count + CYCLE - 1) / CYCLE : FIRST_MAX;
        for (int i = 0; i < Math.min(others, count); i++) {
            chosen.add(next++ % count);
        }
        complete |= next >= count;
        next %= count;
        return chosen;
    }

    private void measure(int index) {
        stream.backlog(partitions.all().get(index)).thenAccept(backlog ->
                measured.put(index, new Measured(backlog, System.nanoTime())));
    }

    private void report() {
        long now = System.nanoTime();
        measured.values().removeIf(each -> now - each.nanos > STALE_NANOS);
        // Until every partition was measured once, the sum would be too small.
        if (!complete || measured.isEmpty()) {
            entries.forget();
            lag.forget();
            return;
        }
        entries.set(measured.values().stream()
                .mapToLong(each -> each.backlog.orders()).sum());
        lag.set(measured.values().stream()
                .mapToLong(each -> each.backlog.oldestMs()).max().orElse(0) / 1000.0);
    }
}
