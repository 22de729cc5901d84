package dev.rush.redis;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Startup;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jboss.logging.Logger;

/**
 * The highest sequence number that this pod has seen of each partition. Sequences only grow; one
 * that goes back means that Redis lost accepted orders in a failover or restart. They are counted
 * and alarmed (metric {@code rush_redis_sequence_lost_total}) and told to whom it concerns
 * ({@link SequenceLost}), never passed over in silence.
 */
@Startup
@Singleton
public class Sequences {

    private static final Logger LOG = Logger.getLogger(Sequences.class);
    /** No reply to a call that was sent before a loss comes later than this after it. */
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final AtomicLongArray seen;
    private final Map<Integer, Loss> losses = new ConcurrentHashMap<>();
    private final Event<SequenceLost> events;
    private final Counter lost;

    /** The last loss of a partition that this pod noticed. */
    private record Loss(long low, long high, long nanos) {
    }

    @Inject
    Sequences(Partitions partitions, Event<SequenceLost> events, MeterRegistry registry) {
        this.seen = new AtomicLongArray(partitions.count());
        this.events = events;
        this.lost = Counter.builder("rush.redis.sequence.lost")
                .description("Accepted orders and grabs that Redis lost, seen by sequence")
                .register(registry);
    }

    /** The highest number seen of a partition. To be read before a call is sent. */
    long seen(Partition partition) {
        return seen.get(partition.index());
    }

    /**
     * Takes note of a reply's number.
     *
     * @param before   what {@link #seen} said before the call was sent; the call cannot have begun
     *                 below it
     * @param now      the number after the call
     * @param accepted steps that the call itself took
     * @param redisMs  Redis's time in the reply
     */
    void observe(Partition partition, long before, long now, int accepted, long redisMs) {
        if (now - accepted >= before) {
            seen.accumulateAndGet(partition.index(), now, Math::max);
        } else {
            lost(partition, before, now - accepted, now, redisMs);
        }
    }

    private synchronized void lost(
            Partition partition, long before, long begun, long now, long redisMs) {
        int index = partition.index();
        Loss last = losses.get(index);
        long high = seen.get(index);
        if (last != null && last.high >= before && System.nanoTime() - last.nanos < LATE_NANOS) {
            // This call was sent before the loss was noticed. It may have been the earlier one.
            high = last.low;
            if (begun >= high) {
                return;
            }
            losses.put(index, new Loss(begun, last.high, last.nanos));
        } else {
            seen.set(index, now);
            losses.put(index, new Loss(begun, high, System.nanoTime()));
        }
        lost.increment(high - begun);
        LOG.errorf("Redis lost %d accepted orders of partition %d: its sequence went back from "
                + "%d to %d", high - begun, index, high, begun);
        events.fire(new SequenceLost(partition, begun, high, redisMs));
    }

    /** Accepted orders and grabs known to be lost since this pod started. */
    public long lost() {
        return (long) lost.count();
    }
}
