package dev.rush.rain;

import dev.rush.redis.Partitions;
import dev.rush.redis.cluster.RedisCommands;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Reads users' grabs in Redis. */
@Singleton
class TakerRecords {

    private final RedisCommands redis;
    private final Partitions partitions;

    @Inject
    TakerRecords(RedisCommands redis, Partitions partitions) {
        this.redis = redis;
        this.partitions = partitions;
    }

    /** A user's grabs from a rain; null for an unknown rain. */
    CompletableFuture<TakerRecord> of(String rain, String user) {
        return redis.script(RainScripts.GRABS,
                partitions.of(rain).keys().rain(rain, "conf", "takers").orders(), List.of(user))
                .thenApply(reply -> TakerRecord.of(rain, user, reply));
    }
}
