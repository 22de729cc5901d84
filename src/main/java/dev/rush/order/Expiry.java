package dev.rush.order;

import dev.rush.ExpiryConfig;
import dev.rush.RushConfig;
import dev.rush.order.sql.Sql;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisCommands;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Ends reservations that were not paid in time, by the clock of the Redis that set the time. All
 * pods look; rows that another pod is at are passed over. Nothing expires for a while after the
 * ledger was away, because its payer could not have it confirmed.
 */
@Singleton
class Expiry {

    private static final Logger LOG = Logger.getLogger(Expiry.class);
    /** PostgreSQL's and Redis's clocks may differ: so early a partition's clock is asked. */
    private static final long CLOCKS_APART_MS = TimeUnit.HOURS.toMillis(3);
    private static final long CLOCK_KEPT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Sql BEAT = Sql.named("heartbeat", """
            UPDATE heartbeat SET beat = now(), back_at = CASE
                WHEN beat < now() - ? * interval '1 ms' THEN now() ELSE back_at END
            RETURNING now() > back_at + ? * interval '1 ms'""");
    private static final Sql EARLIEST = Sql.named("earliest-reservations", """
            SELECT partition, pay_by_ms FROM (SELECT partition, (
                SELECT min(pay_by_ms) FROM orders o
                WHERE o.status = 'reserved' AND o.partition = p.partition) AS pay_by_ms
                FROM generate_series(0, ? - 1) AS p (partition)) AS earliest
            WHERE pay_by_ms <= extract(epoch FROM now()) * 1000 + ?""");
    private static final Sql EXPIRE = Sql.named("expire-orders", """
            UPDATE orders SET status = 'expired', credit = 'pending', ended_at = now()
            WHERE id IN (SELECT id FROM orders
                WHERE status = 'reserved' AND partition = ? AND pay_by_ms <= ?
                ORDER BY pay_by_ms LIMIT ? FOR UPDATE SKIP LOCKED)
            RETURNING id, sale, user_id""");

    private final Ledger ledger;
    private final Credits credits;
    private final RedisCommands redis;
    private final Partitions partitions;
    private final ExpiryConfig config;
    private final boolean active;
    private final Map<Integer, Clock> clocks = new HashMap<>();
    private final ScheduledExecutorService scheduler =
            Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, "expiry");
                thread.setDaemon(true);
                return thread;
            });

    /** What a partition's Redis said the time was, and when it was asked. */
    private record Clock(long redisMs, long nanos) {

        long now() {
            return redisMs + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
        }
    }

    @Inject
    Expiry(Ledger ledger, Credits credits, RedisCommands redis, Partitions partitions,
            RushConfig config) {
        this.ledger = ledger;
        this.credits = credits;
        this.redis = redis;
        this.partitions = partitions;
        this.config = config.expiry();
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

    private void look() {
        if (!ledger.isReady()) {
            return;
        }
        try {
            Map<Integer, Long> earliest = ledger.transact(connection ->
                    isBack(connection) ? earliest(connection) : Map.<Integer, Long>of());
            List<Integer> order = new ArrayList<>(earliest.keySet());
            // Pods begin at different partitions, so that they seldom meet.
            Collections.shuffle(order);
            for (Integer index : order) {
                expire(partitions.all().get(index), earliest.get(index));
            }
        } catch (LedgerFailure | CompletionException e) {
            LOG.debugf("Nothing expires now: %s", e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("Orders could not be expired", e);
        }
    }

    /** Takes note that the ledger is reached; false within the grace after it was not for long. */
    private boolean isBack(Connection connection) throws SQLException {
        return Boolean.TRUE.equals(BEAT.first(connection, row -> row.getBoolean(1),
                config.away().toMillis(), config.grace().toMillis()));
    }

    /** Per partition that has reservations near their end, the earliest end. */
    private Map<Integer, Long> earliest(Connection connection) throws SQLException {
        Map<Integer, Long> earliest = new HashMap<>();
        EARLIEST.each(connection, row -> earliest.put(row.getInt(1), row.getLong(2)),
                partitions.count(), CLOCKS_APART_MS);
        return earliest;
    }

    private void expire(Partition partition, long earliest) {
        long now = now(partition);
        int done = config.batch();
        while (earliest <= now && done == config.batch()) {
            List<Credits.Due> due =
                    ledger.transact(connection ->
                            expire(connection, partition.index(), now, config.batch()));
            done = due.size();
            if (done > 0) {
                LOG.debugf("%d orders of partition %d expired", done, partition.index());
                credits.give(due).join();
            }
        }
    }

    private long now(Partition partition) {
        Clock clock = clocks.get(partition.index());
        if (clock == null || System.nanoTime() - clock.nanos > CLOCK_KEPT_NANOS) {
            clock = redis.command("TIME", partition.keys()).thenApply(time -> new Clock(
                    time.at(0).number() * 1000 + time.at(1).number() / 1000, System.nanoTime()))
                    .join();
            clocks.put(partition.index(), clock);
        }
        return clock.now();
    }

    /** Ends reservations of a partition that were to be paid by now. Returns what is owed. */
    static List<Credits.Due> expire(Connection connection, int partition, long now, int most)
            throws SQLException {
        List<Credits.Due> due = EXPIRE.list(connection, row ->
                new Credits.Due(row.getObject(1, UUID.class), row.getString(2), row.getString(3),
                        partition, true), partition, now, most);
        if (!due.isEmpty()) {
            Sold.giveBack(connection, due.stream().map(Credits.Due::order).toList());
        }
        return due;
    }
}
