package dev.rush.redis.cluster;

import dev.rush.RushConfig;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.concurrent.TimeUnit;

/** The required number of replicas for a call, and metrics of waits. */
@Singleton
public class Replication {

    /** The value of {@link #required} while the number of replicas is unknown. */
    static final int UNKNOWN = -1;

    private final int configured;
    private final boolean cluster;
    private final Timer waits;
    private final Counter shortWaits;

    @Inject
    Replication(Connector connector, RushConfig config, MeterRegistry registry) {
        this.configured = config.durabilityReplicas();
        this.cluster = connector.isCluster();
        this.waits = Timer.builder("rush.redis.wait")
                .description("Time that calls waited for replicas").register(registry);
        this.shortWaits = Counter.builder("rush.redis.wait.short")
                .description("Waits in which fewer replicas confirmed than required")
                .register(registry);
    }

    /** Whether calls can wait for replicas: a single Redis needs a configured number. */
    public boolean isPossible() {
        return cluster || configured > 0;
    }

    /**
     * How many replicas of a master must confirm. Failed ones count, because any of them may come
     * back and be promoted. The minimum is one, because a master without replicas is not
     * replicated.
     *
     * @return {@link #UNKNOWN} if unknown
     */
    int required(Topology topology, Endpoint master) {
        if (configured > 0) {
            return configured;
        }
        int replicas = topology.replicas(master);
        return replicas < 0 ? UNKNOWN : Math.max(1, replicas);
    }

    /** Counts one wait. */
    void waited(long nanos, boolean enough) {
        waits.record(nanos, TimeUnit.NANOSECONDS);
        if (!enough) {
            shortWaits.increment();
        }
    }
}
