package dev.rush.sale.shard;

import dev.rush.redis.cluster.RedisCommands;

/** Creates parts of the package for tests in other packages. */
public final class ShardParts {

    private ShardParts() {
    }

    public static MissingKeys missingKeys(RedisCommands redis) {
        return new MissingKeys(redis);
    }
}
