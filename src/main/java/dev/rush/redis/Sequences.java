package dev.rush.redis;

import io.quarkus.runtime.Startup;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jboss.logging.Logger;

/**
 * The highest sequence number that this pod has seen of each partition. Sequences only grow; one
 * that goes back means that Redis lost accepted orders in a failover or restart. They are counted
 * and alarmed (metric {@code rush_redis_sequence_lost_total}), never passed over in silence.
 */
@Startup
@Singleton
public class Sequences {

    private static final Logger LOG = Logger.getLogger(Sequences.class);

    private final AtomicLongArray seen;
    private final Counter lost;

    @Inject
    Sequences(Partitions partitions, MeterRegistry registry) {
        seen = new AtomicLongArray(partitions.count());
        lost = Counter.builder("rush.redis.sequence.lost")
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
     * @param before what {@link #seen} said before the call was sent: no reply may be below it
     */
    void observe(Partition partition, long before, long now) {
        int index = partition.index();
        if (now >= before) {
            seen.accumulateAndGet(index, now, Math::max);
            return;
        }
        long highest = seen.get(index);
        if (now < highest && seen.compareAndSet(index, highest, now)) {
            lost.increment(highest - now);
            LOG.errorf("Redis lost %d accepted orders of partition %d: its sequence went back "
                    + "from %d to %d", highest - now, index, highest, now);
        }
    }

    /** Accepted orders and grabs known to be lost since this pod started. */
    public long lost() {
        return (long) lost.count();
    }
}
