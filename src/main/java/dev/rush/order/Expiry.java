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
import dev.rush.redis.cluster.RedisCommands;
import dev.rush.task.LoggedTask;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.concurrent.DefaultThreadFactory;
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
import org.jspecify.annotations.Nullable;

/**
 * Expires reservations that were not paid in time. Both the clock of Redis, which set the time, and
 * PostgreSQL's must have passed it, because a master that takes over may be hours ahead. All writer
 * pods poll; rows locked by another pod are skipped, and a Redis that hangs delays only its own
 * partitions. Nothing expires for {@code rush.expiry.grace} after an outage of the ledger, because
 * payers could not confirm.
 */
@Singleton
class Expiry {

    private static final Logger LOG = Logger.getLogger(Expiry.class);
    /**
     * Most polls skip reservations due longer ago, because deleted rows cost time until a vacuum.
     */
    private static final long LATE_MS = TimeUnit.MINUTES.toMillis(2);
    /** Interval of polls for all reservations that are due. */
    private static final long WHOLE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final double MS_PER_SECOND = 1000.0;

    /** All times are the start of the transaction. */
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
    /** Latest known difference of each partition's clock from PostgreSQL's. */
    private final Map<Integer, Long> apartMs = new ConcurrentHashMap<>();
    private final KnownGauge apart;
    private final Set<Integer> underWay = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService scheduler =
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("expiry", true));
    private long wholeNanos = System.nanoTime() - WHOLE_NANOS;

    /**
     * The result of one poll.
     *
     * @param nowMs    PostgreSQL's time
     * @param nanos    this process's time at that moment
     * @param whole    whether it covered all reservations that are due
     * @param earliest by partition, when its first reservation is due by Redis's clock
     */
    private record Reading(long nowMs, long nanos, boolean whole, Map<Integer, Long> earliest) {

        /** The difference between this time of a clock and PostgreSQL's. */
        long apartMs(long redisMs) {
            return Math.abs(redisMs - nowMs
                    - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos));
        }
    }

    @Inject
    Expiry(Ledger ledger, Credits credits, RedisCommands redis, Partitions partitions,
            RushConfig config, MeterRegistry registry) {
        this(ledger, credits, partition -> time(redis, partition), partitions, config, registry);
    }

    /**
     * Creates a service that expires reservations.
     *
     * @param clock the time of a partition's Redis, in milliseconds
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

    /**
     * The time of a partition's Redis, read just before it is used: if the clock was set back
     * since, orders that were placed since would expire at once.
     */
    private static CompletableFuture<Long> time(RedisCommands redis, Partition partition) {
        return redis.command("TIME", partition.keys()).thenApply(time ->
                time.at(0).number() * 1000 + time.at(1).number() / 1000);
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            long ms = config.interval().toMillis();
            scheduler.scheduleWithFixedDelay(
                    new LoggedTask("expiry of orders", this::poll), ms, ms, TimeUnit.MILLISECONDS);
        }
    }

    void stop(@Observes ShutdownEvent event) {
        scheduler.shutdownNow();
    }

    /** Polls all partitions once. Calls that were started continue asynchronously. */
    void poll() {
        if (!ledger.isReady()) {
            return;
        }
        try {
            Reading reading = read();
            reading.earliest.forEach((index, dueMs) -> {
                if (dueMs <= reading.nowMs && underWay.add(index)) {
                    // Composed, so that an exception of the call itself also ends it.
                    CompletableFuture.completedFuture(index)
                            .thenCompose(due -> expire(partitions.all().get(due), reading))
                            .whenComplete((done, failure) -> ended(index, failure));
                }
            });
            if (reading.whole) {
                partitions.all().forEach(partition -> clock.apply(partition)
                        .thenAccept(now -> compare(partition, now, reading)));
            }
        } catch (LedgerFailure e) {
            LOG.debugf("Nothing expires now: %s", e.getMessage());
        }
    }

    private void ended(int index, @Nullable Throwable failure) {
        underWay.remove(index);
        if (failure != null) {
            LOG.debugf("Nothing of partition %d expires now: %s", index, failure.getMessage());
        }
    }

    /**
     * Records that the ledger was reached; during the grace period after an outage nothing is due.
     */
    private Reading read() {
        boolean whole = System.nanoTime() - wholeNanos >= WHOLE_NANOS;
        Reading reading = ledger.transact((connection, ledgerState) -> {
            long[] now = {0};
            long nanos = System.nanoTime();
            boolean isBack = BEAT.one(connection, row -> {
                now[0] = row.getLong(2);
                return row.getBoolean(1);
            }, config.away().toMillis(), config.grace().toMillis());
            return new Reading(now[0], nanos, whole, !isBack || !ledgerState.checked() ? Map.of()
                    : Reservations.earliest(connection, free(), whole ? 0 : now[0] - LATE_MS));
        });
        if (whole) {
            wholeNanos = System.nanoTime();
        }
        return reading;
    }

    private List<Integer> free() {
        return partitions.all().stream().map(Partition::index)
                .filter(index -> !underWay.contains(index)).collect(Collectors.toList());
    }

    private void compare(Partition partition, long now, Reading reading) {
        apartMs.put(partition.index(), reading.apartMs(now));
        apart.set(Collections.max(apartMs.values()) / MS_PER_SECOND);
    }

    private CompletableFuture<Void> expire(Partition partition, Reading reading) {
        return clock.apply(partition).thenCompose(now -> {
            compare(partition, now, reading);
            return ledger.run(() -> ledger.transact((connection, ledgerState) -> Steps.expire(
                    connection, ledgerState, partition.index(), now, config.batch())));
        }).thenCompose(ended -> {
            if (ended.isEmpty()) {
                return done();
            }
            LOG.debugf("%d orders of partition %d expired", ended.size(), partition.index());
            // The next batch waits until this one is credited, so that few units are owed at once.
            return credits.give(ended).thenCompose(given ->
                    ended.size() < config.batch() ? done() : expire(partition, reading));
        });
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
