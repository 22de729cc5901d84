package dev.rush.sale.shard;

import dev.rush.redis.cluster.RedisCommands;

/** Parts of the package, made as the service makes them. */
public final class ShardParts {

    private ShardParts() {
    }

    public static MissingKeys missingKeys(RedisCommands redis) {
        return new MissingKeys(redis);
    }
}
