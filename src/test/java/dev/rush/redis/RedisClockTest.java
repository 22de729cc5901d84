package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** I9: a deadline in Redis's time is never later than the caller's own. */
class RedisClockTest {
    private static final long EPOCH_MS = 1_790_000_000_000L;
    private final RedisClock clock = new RedisClock();

    @BeforeEach
    void connect() {
        clock.reset();
    }

    @Test
    @DisplayName("I9: the estimate is never ahead of the node, however late replies come")
    void estimateIsNeverAhead() {
        long start = System.nanoTime();
        for (int delayMs : new int[] {40, 7, 300, 0, 90}) {
            // The node's clock as it was when it answered, which is delayMs ago.
            long now = System.nanoTime();
            clock.observe(node(start, now) - delayMs);
            assertThat(clock.toRedisMillis(now)).isLessThanOrEqualTo(node(start, now) + 1);
        }
    }

    @Test
    @DisplayName("I9: the quickest reply counts, and a slow one afterwards spoils nothing")
    void quickestReplyCounts() {
        long start = System.nanoTime();
        clock.observe(node(start, System.nanoTime()) - 500);
        long slow = clock.toRedisMillis(start);
        clock.observe(node(start, System.nanoTime()));
        long quick = clock.toRedisMillis(start);
        clock.observe(node(start, System.nanoTime()) - 900);

        assertThat(quick - slow).isBetween(495L, 505L);
        assertThat(clock.toRedisMillis(start)).isEqualTo(quick);
    }

    @Test
    @DisplayName("I9: time goes on between replies")
    void timeGoesOn() {
        clock.observe(EPOCH_MS);
        long now = System.nanoTime();
        assertThat(clock.toRedisMillis(now + TimeUnit.SECONDS.toNanos(2))
                - clock.toRedisMillis(now)).isBetween(1_999L, 2_001L);
    }

    @Test
    @DisplayName("I9: another node after a reset is believed at once, even when it is behind")
    void resetForgetsTheOldNode() {
        clock.observe(EPOCH_MS + 3_600_000);
        clock.reset();
        clock.observe(EPOCH_MS);
        assertThat(clock.toRedisMillis(System.nanoTime())).isBetween(EPOCH_MS, EPOCH_MS + 1_000);
    }

    private static long node(long startNanos, long nanos) {
        return EPOCH_MS + TimeUnit.NANOSECONDS.toMillis(nanos - startNanos);
    }
}
