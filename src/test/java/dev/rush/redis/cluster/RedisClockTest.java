package dev.rush.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** I9: a deadline in Redis's time is never later than the caller's own. */
class RedisClockTest {
    private static final long EPOCH_MS = 1_790_000_000_000L;
    private final RedisClock clock = new RedisClock();
    private final long start = System.nanoTime();

    @BeforeEach
    void connect() {
        clock.reset();
    }

    @Test
    @DisplayName("I9: the estimate is never ahead of the node, however late replies come")
    void estimateIsNeverAhead() {
        long seed = Long.getLong("rush.seed", System.nanoTime());
        Random random = new Random(seed);
        long nanos = 0;
        for (int i = 0; i < 10_000; i++) {
            long sent = nanos;
            long read = sent + random.nextInt(30_000_000);
            nanos = read + random.nextInt(30_000_000);
            clock.observe(node(read), start + sent, start + nanos);
            long later = nanos + random.nextLong(TimeUnit.SECONDS.toNanos(3));
            assertThat(clock.toRedisMillis(start + later)).as("seed %d, reply %d", seed, i)
                    .isLessThanOrEqualTo(node(later))
                    .isGreaterThan(node(later) - 32);
        }
    }

    @Test
    @DisplayName("I9: the fastest reply counts, and a slow one afterwards changes nothing")
    void fastestReplyCounts() {
        reply(0, 0, 500);
        long slow = clock.toRedisMillis(start);
        reply(1000, 0, 0);
        long fast = clock.toRedisMillis(start);
        reply(2000, 0, 900);

        assertThat(fast - slow).isEqualTo(500);
        assertThat(clock.toRedisMillis(start)).isEqualTo(fast);
    }

    @Test
    @DisplayName("I9: the estimate advances between replies")
    void estimateAdvancesBetweenReplies() {
        reply(0, 0, 0);
        assertThat(clock.toRedisMillis(start + TimeUnit.SECONDS.toNanos(2))
                - clock.toRedisMillis(start)).isEqualTo(2_000);
    }

    @Test
    @DisplayName("I9: after a reset another node's clock counts at once, even if it is behind")
    void resetForgetsTheOldNode() {
        clock.observe(EPOCH_MS + 3_600_000, start, start);
        clock.reset();
        clock.observe(EPOCH_MS, start, start);
        assertThat(clock.toRedisMillis(start)).isEqualTo(EPOCH_MS);
    }

    @Test
    @DisplayName("I9: a clock that steps back by more than a round trip is followed at once")
    void stepBackIsFollowedAtOnce() {
        reply(0, 2, 2);
        clock.observe(node(millis(100)) - 50, start + millis(98), start + millis(102));
        assertThat(clock.toRedisMillis(start + millis(102)))
                .isLessThanOrEqualTo(EPOCH_MS + 102 - 50).isGreaterThan(EPOCH_MS + 95 - 50);
    }

    @Test
    @DisplayName("I9: a clock that steps forward is followed at once")
    void stepForwardIsFollowedAtOnce() {
        reply(0, 2, 2);
        clock.observe(EPOCH_MS + 3_600_000 + 100, start + millis(98), start + millis(102));
        assertThat(clock.toRedisMillis(start + millis(102))).isEqualTo(EPOCH_MS + 3_600_100);
    }

    @Test
    @DisplayName("I9: without a reply every deadline has passed")
    void unknownClockLetsNothingPass() {
        assertThat(clock.toRedisMillis(System.nanoTime())).isLessThan(EPOCH_MS);
    }

    /** A reply whose time the node read at an instant, between the call and the reply. */
    private void reply(long atMs, long outMs, long backMs) {
        clock.observe(node(millis(atMs)), start + millis(atMs - outMs),
                start + millis(atMs + backMs));
    }

    private static long millis(long ms) {
        return TimeUnit.MILLISECONDS.toNanos(ms);
    }

    private static long node(long nanos) {
        return EPOCH_MS + Math.floorDiv(nanos, 1_000_000L);
    }
}
