package dev.rush.redis.batch;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.redis.batch.PartitionSequence.Mark;
import dev.rush.redis.batch.PartitionSequence.Observation;
import dev.rush.redis.cluster.Tenure;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Startup;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Tracks each partition's sequence as seen by this pod. If it shows that Redis lost accepted orders
 * in a failover or restart, these are counted (metric {@code rush_redis_sequence_lost_total}),
 * logged and reported to observers of {@link SequenceLost}. Thread-safe.
 */
@Startup
@Singleton
public class Sequences {

    private static final Logger LOG = Logger.getLogger(Sequences.class);

    private final List<PartitionSequence> all;
    private final Event<SequenceLost> events;
    private final Counter lost;

    /** Creates an empty tracker. */
    @Inject
    public Sequences(Partitions partitions, Event<SequenceLost> events, MeterRegistry registry) {
        this.events = events;
        this.lost = Counter.builder("rush.redis.sequence.lost")
                .description("Accepted orders and grabs that Redis lost, as this pod saw")
                .register(registry);
        this.all = partitions.all().stream()
                .map(partition -> new PartitionSequence(partition, lost::increment)).toList();
    }

    /** The known state of a partition. Must be read before a call is sent. */
    Mark mark(Partition partition) {
        return all.get(partition.index()).mark();
    }

    /** Forgets a partition's tenures, because Redis reports none. */
    void forgetTenures(Partition partition) {
        all.get(partition.index()).forgetTenures();
    }

    /** Records tenures; see {@link PartitionSequence#checkIn}. */
    void checkIn(
            Partition partition, List<Tenure> reported, @Nullable Tenure known, long redisMs) {
        report(all.get(partition.index()).checkIn(reported, known, redisMs));
    }

    /**
     * Records a reply's number; see {@link PartitionSequence#observe}.
     *
     * @return whether the connection must check in again
     */
    boolean observe(Partition partition, Mark before, @Nullable Tenure tenure, long current,
            int accepted, long redisMs) {
        Observation shown =
                all.get(partition.index()).observe(before, tenure, current, accepted, redisMs);
        report(shown.loss());
        return shown.needsCheckIn();
    }

    private void report(@Nullable SequenceLost loss) {
        if (loss != null) {
            LOG.errorf("Redis lost accepted orders of partition %d: numbers %d to %d, as far as "
                    + "this pod has seen them", loss.partition().index(), loss.low() + 1,
                    loss.high());
            events.fire(loss);
        }
    }

    /** The number of accepted orders and grabs known to be lost since this pod started. */
    long lost() {
        return (long) lost.count();
    }
}
