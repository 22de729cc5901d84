package dev.rush.redis.batch;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Startup;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jboss.logging.Logger;

/**
 * The highest sequence number that this pod has seen of each partition. Sequences only grow; one
 * that goes back means that Redis lost accepted orders in a failover or restart. They are counted
 * and alarmed (metric {@code rush_redis_sequence_lost_total}) and told to whom it concerns
 * ({@link SequenceLost}), never passed over in silence. Thread-safe.
 */
@Startup
@Singleton
public class Sequences {

    private static final Logger LOG = Logger.getLogger(Sequences.class);

    private final AtomicLongArray seen;
    /** Losses of each partition that this pod has noticed. */
    private final AtomicIntegerArray noticed;
    /** The lowest number to which each partition fell in the last loss that was noticed. */
    private final long[] lows;
    private final Event<SequenceLost> events;
    private final Counter lost;

    /**
     * What is known of a partition before a call is sent.
     *
     * @param seen   the highest number; the call cannot begin below it
     * @param losses how many losses were noticed; a reply to a call from before the last of them
     *               may come from a master that is none any more
     */
    record Mark(long seen, int losses) {
    }

    /** Nothing seen yet. */
    @Inject
    public Sequences(Partitions partitions, Event<SequenceLost> events, MeterRegistry registry) {
        this.seen = new AtomicLongArray(partitions.count());
        this.noticed = new AtomicIntegerArray(partitions.count());
        this.lows = new long[partitions.count()];
        this.events = events;
        this.lost = Counter.builder("rush.redis.sequence.lost")
                .description("Accepted orders and grabs that Redis lost, seen by sequence")
                .register(registry);
    }

    /** What is known of a partition. To be read before a call is sent. */
    Mark mark(Partition partition) {
        int index = partition.index();
        // In this order, a loss between the two makes the call one from before it.
        int losses = noticed.get(index);
        return new Mark(seen.get(index), losses);
    }

    /**
     * Takes note of a reply's number.
     *
     * @param before   what {@link #mark} said before the call was sent
     * @param now      the number after the call
     * @param accepted steps that the call itself took
     * @param redisMs  Redis's time in the reply
     */
    void observe(Partition partition, Mark before, long now, int accepted, long redisMs) {
        int index = partition.index();
        if (now - accepted < before.seen) {
            lost(partition, before, now - accepted, now, redisMs);
        } else if (before.losses == noticed.get(index)) {
            seen.accumulateAndGet(index, now, Math::max);
        }
    }

    private synchronized void lost(
            Partition partition, Mark before, long begun, long now, long redisMs) {
        int index = partition.index();
        boolean isNew = before.losses == noticed.get(index);
        // A call from before the last loss may see it once more, or that it was larger.
        long high = isNew ? seen.get(index) : lows[index];
        if (begun >= high) {
            return;
        }
        // Counted first: whoever sees the lower number finds the loss counted.
        lost.increment(high - begun);
        lows[index] = begun;
        if (isNew) {
            seen.set(index, now);
            noticed.incrementAndGet(index);
        }
        LOG.errorf("Redis lost %d accepted orders of partition %d: its sequence went back from "
                + "%d to %d", high - begun, index, high, begun);
        events.fire(new SequenceLost(partition, begun, high, redisMs));
    }

    /** Accepted orders and grabs known to be lost since this pod started. */
    long lost() {
        return (long) lost.count();
    }
}
