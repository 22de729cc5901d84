package dev.rush.order;

import dev.rush.redis.Partition;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The clocks of the partitions' masters; each is read at most every ten seconds. */
@Singleton
class RedisClocks {

    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final RedisCommands redis;
    private final Map<Integer, Clock> clocks = new ConcurrentHashMap<>();

    /** The time of a partition's Redis, and when it was read. */
    private record Clock(long redisMs, long nanos) {

        boolean isOld() {
            return System.nanoTime() - nanos > KEPT_NANOS;
        }

        /** The present time, or slightly less, because the reply took some time. */
        long now() {
            return redisMs + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
        }
    }

    @Inject
    RedisClocks(RedisCommands redis) {
        this.redis = redis;
    }

    /** The time of a partition's Redis, in milliseconds. */
    CompletableFuture<Long> now(Partition partition) {
        Clock known = clocks.get(partition.index());
        if (known != null && !known.isOld()) {
            return CompletableFuture.completedFuture(known.now());
        }
        return redis.command("TIME", partition.keys()).thenApply(time -> {
            Clock clock = new Clock(time.at(0).number() * 1000 + time.at(1).number() / 1000,
                    System.nanoTime());
            clocks.put(partition.index(), clock);
            return clock.now();
        });
    }
}
