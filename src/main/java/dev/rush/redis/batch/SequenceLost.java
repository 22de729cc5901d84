package dev.rush.redis.batch;

import dev.rush.redis.Partition;

/**
 * A partition's sequence went back: Redis gave out the numbers above {@code low}, up to
 * {@code high}, and lost those orders and grabs in a failover or restart.
 *
 * @param noticedAtMs Redis's time in the reply that showed it
 */
public record SequenceLost(Partition partition, long low, long high, long noticedAtMs) {
}
