package dev.rush.order;

import dev.rush.ExpiryConfig;
import dev.rush.RushConfig;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.Reservations;
import dev.rush.ledger.Steps;
import dev.rush.ledger.sql.Sql;
import dev.rush.metrics.KnownGauge;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * Ends reservations that were not paid in time, by the clock of the Redis that set the time and by
 * PostgreSQL's, since a master that takes over may be hours ahead. All pods look; rows that another
 * pod is at are passed over, and a Redis that hangs holds up only its own partitions. Nothing
 * expires for a while after the ledger was away, because its payer could not have it confirmed.
 */
@Singleton
class Expiry {

    private static final Logger LOG = Logger.getLogger(Expiry.class);
    /** Most looks pass over what was due so long ago: rows that are gone cost until a vacuum. */
    private static final long LATE_MS = TimeUnit.MINUTES.toMillis(2);
    /** So often all that is due is looked for. */
    private static final long WHOLE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final double MS_PER_SECOND = 1000.0;

    /** The times are those at the beginning of the transaction. */
    private static final Sql BEAT = Sql.named("beat", """
            UPDATE ledger SET beat = now(), back_at = CASE
                WHEN beat < now() - ? * interval '1 ms' THEN now() ELSE back_at END
            RETURNING now() > back_at + ? * interval '1 ms',
                (extract(epoch FROM now()) * 1000)::bigint""");

    private final Ledger ledger;
    private final Credits credits;
    private final Function<Partition, CompletableFuture<Long>> clock;
    private final Partitions partitions;
    private final ExpiryConfig config;
    private final boolean active;
    /** How far the clocks of partitions were from PostgreSQL's when they were last asked. */
    private final Map<Integer, Long> apartMs = new ConcurrentHashMap<>();
    private final KnownGauge apart;
    private final Set<Integer> underWay = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService scheduler =
            Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, "expiry");
                thread.setDaemon(true);
                return thread;
            });
    private long wholeNanos = System.nanoTime() - WHOLE_NANOS;

    /**
     * What one look shows.
     *
     * @param nowMs    PostgreSQL's time
     * @param nanos    this process's time then
     * @param whole    whether all that is due was looked for
     * @param earliest by partition when its first reservation is due, by Redis's clock
     */
    private record Look(long nowMs, long nanos, boolean whole, Map<Integer, Long> earliest) {

        /** How far a clock that says this time is from PostgreSQL's. */
        long apartMs(long redisMs) {
            return Math.abs(redisMs - nowMs
                    - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos));
        }
    }

    @Inject
    Expiry(Ledger ledger, Credits credits, RedisClocks clocks, Partitions partitions,
            RushConfig config, MeterRegistry registry) {
        this(ledger, credits, clocks::now, partitions, config, registry);
    }

    /**
     * Ends reservations.
     *
     * @param clock what a partition's Redis says the time is, in milliseconds
     */
    Expiry(Ledger ledger, Credits credits, Function<Partition, CompletableFuture<Long>> clock,
            Partitions partitions, RushConfig config, MeterRegistry registry) {
        this.ledger = ledger;
        this.credits = credits;
        this.clock = clock;
        this.partitions = partitions;
        this.config = config.expiry();
        this.apart = new KnownGauge(registry, "rush.clock.apart", "seconds",
                "The clock of a Redis that is farthest from PostgreSQL's");
        this.active = config.orders().sink().stores() && config.role().writes();
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            long ms = config.interval().toMillis();
            scheduler.scheduleWithFixedDelay(this::look, ms, ms, TimeUnit.MILLISECONDS);
        }
    }

    void stop(@Observes ShutdownEvent event) {
        scheduler.shutdownNow();
    }

    /** One look at all partitions. What is begun goes on by itself. */
    void look() {
        if (!ledger.isReady()) {
            return;
        }
        try {
            Look look = read();
            look.earliest.forEach((index, dueMs) -> {
                if (dueMs <= look.nowMs && underWay.add(index)) {
                    expire(partitions.all().get(index), look)
                            .whenComplete((done, failure) -> ended(index, failure));
                }
            });
            if (look.whole) {
                partitions.all().forEach(partition -> clock.apply(partition)
                        .thenAccept(now -> compare(partition, now, look)));
            }
        } catch (LedgerFailure e) {
            LOG.debugf("Nothing expires now: %s", e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("Orders could not be expired", e);
        }
    }

    private void ended(int index, Throwable failure) {
        underWay.remove(index);
        if (failure != null) {
            LOG.debugf("Nothing of partition %d expires now: %s", index, failure.getMessage());
        }
    }

    /** Takes note that the ledger is reached; within the grace after it was not, nothing is due. */
    private Look read() {
        boolean whole = System.nanoTime() - wholeNanos >= WHOLE_NANOS;
        Look look = ledger.transact((connection, standing) -> {
            long[] now = {0};
            long nanos = System.nanoTime();
            boolean isBack = BEAT.one(connection, row -> {
                now[0] = row.getLong(2);
                return row.getBoolean(1);
            }, config.away().toMillis(), config.grace().toMillis());
            return new Look(now[0], nanos, whole, !isBack || !standing.checked() ? Map.of()
                    : Reservations.earliest(connection, free(), whole ? 0 : now[0] - LATE_MS));
        });
        if (whole) {
            wholeNanos = System.nanoTime();
        }
        return look;
    }

    private List<Integer> free() {
        return partitions.all().stream().map(Partition::index)
                .filter(index -> !underWay.contains(index)).collect(Collectors.toList());
    }

    private void compare(Partition partition, long now, Look look) {
        apartMs.put(partition.index(), look.apartMs(now));
        apart.set(Collections.max(apartMs.values()) / MS_PER_SECOND);
    }

    private CompletableFuture<Void> expire(Partition partition, Look look) {
        return clock.apply(partition).thenCompose(now -> {
            compare(partition, now, look);
            return ledger.run(() -> ledger.transact((connection, standing) -> Steps.expire(
                    connection, standing, partition.index(), now, config.batch())));
        }).thenCompose(ended -> {
            if (ended.isEmpty()) {
                return done();
            }
            LOG.debugf("%d orders of partition %d expired", ended.size(), partition.index());
            // The next ones wait until Redis has these back: not all of them are owed at once.
            return credits.give(ended).thenCompose(given ->
                    ended.size() < config.batch() ? done() : expire(partition, look));
        });
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
