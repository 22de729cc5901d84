package dev.rush.redis.batch;

import dev.rush.redis.Partition;

/**
 * Redis gave out a partition's numbers above {@code low}, up to {@code high}, and lost those orders
 * and grabs in a failover or restart. Numbers are given out again, so only times distinguish old
 * orders from new ones.
 *
 * @param sinceMs     lower bound of the lost orders' times; 0 if unknown
 * @param noticedAtMs Redis's time since which it gives out these numbers again, or, if that is
 *                    unknown, of the reply that showed the loss
 * @param exact       whether both times are beginnings of tenures
 * @param tenureBegunMs when the last tenure known before the loss began; 0 if unknown
 */
public record SequenceLost(Partition partition, long low, long high, long sinceMs,
        long noticedAtMs, boolean exact, long tenureBegunMs) {
}
