package dev.rush.redis.batch;

import dev.rush.redis.Partition;
import dev.rush.redis.cluster.Gate;
import dev.rush.redis.cluster.Tenure;
import dev.rush.testing.Interleavings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * I8: replies arrive on several event loops in any order. While Redis loses nothing, no loss is
 * reported; once it has, the next call reports it.
 */
public class SequencesLincheckTest {
    private static final Partition PARTITION = Gate.PARTITIONS.all().get(7);
    private static final int LOST = 5;
    private final Sequences sequences = new Sequences(
            Gate.PARTITIONS, Gate.event(loss -> { }), new SimpleMeterRegistry());
    private final AtomicLong redis = new AtomicLong(100);

    /** A call whose reply may come after those of later calls; whether it reports no loss. */
    @Operation
    public boolean accept() {
        PartitionSequence.Mark before = sequences.mark(PARTITION);
        long now = redis.incrementAndGet();
        sequences.observe(PARTITION, before, Tenure.UNKNOWN, now, 1, 0);
        return sequences.mark(PARTITION).number() >= now && sequences.lost() == 0;
    }

    /** A call that refuses. */
    @Operation
    public boolean refuse() {
        PartitionSequence.Mark before = sequences.mark(PARTITION);
        sequences.observe(PARTITION, before, Tenure.UNKNOWN, redis.get(), 0, 0);
        return sequences.lost() == 0;
    }

    @Test
    void noLossIsReportedWhileRedisKeepsEverything() {
        Interleavings.check(getClass());
    }

    @Test
    void nextCallReportsALoss() {
        Interleavings.stress(WithLoss.class);
    }

    /** The same with one failover at any moment. */
    public static class WithLoss {
        private final SequencesLincheckTest calls = new SequencesLincheckTest();
        private volatile boolean failedOver;

        /** A call; before the failover it reports no loss. */
        @Operation
        public boolean accept() {
            return calls.accept() || failedOver;
        }

        /** Loses the latest acknowledged orders; a call right after reports that. */
        @Operation(runOnce = true)
        public boolean failover() {
            calls.accept();
            failedOver = true;
            calls.redis.addAndGet(-LOST);
            calls.refuse();
            return calls.sequences.lost() > 0;
        }
    }
}
