package dev.rush.redis.batch;

import dev.rush.redis.Partition;

/**
 * Redis gave out a partition's numbers above {@code low}, up to {@code high}, and lost those orders
 * and grabs in a failover or restart. Numbers are given out again, so times tell old orders from
 * new ones.
 *
 * @param sinceMs     the lost orders are not older; 0 where that is not known
 * @param noticedAtMs Redis's time since which it gives out these numbers again, or, where that is
 *                    not known, of the reply that showed the loss
 */
public record SequenceLost(
        Partition partition, long low, long high, long sinceMs, long noticedAtMs) {
}
