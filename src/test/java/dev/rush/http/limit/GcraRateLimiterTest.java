package dev.rush.http.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** X5: the buckets behind the rate limits. */
class GcraRateLimiterTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Test
    @DisplayName("X5: a burst, then one request per interval, after exactly the wait returned")
    void burstThenInterval() {
        GcraRateLimiter limiter = new GcraRateLimiter(4, 3, 100);
        for (int i = 0; i < 3; i++) {
            assertThat(limiter.take("ann", 0)).isZero();
        }
        assertThat(limiter.take("ann", 0)).isEqualTo(SECOND / 4);
        assertThat(limiter.take("bob", 0)).isZero();
        assertThat(limiter.take("ann", SECOND / 4 - 1)).isEqualTo(1);
        assertThat(limiter.take("ann", SECOND / 4)).isZero();
        assertThat(limiter.take("ann", SECOND / 4)).isEqualTo(SECOND / 4);

        for (int i = 0; i < 3; i++) {
            assertThat(limiter.take("ann", 10 * SECOND)).isZero();
        }
        assertThat(limiter.take("ann", 10 * SECOND)).isPositive();
    }

    @Test
    @DisplayName("X5: agrees with a token bucket for random users, times and limits")
    void agreesWithTokenBucket() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 50; round++) {
            long perSecond = 1 + random.nextInt(50);
            long burst = 1 + random.nextInt(20);
            long interval = SECOND / perSecond;
            GcraRateLimiter limiter = new GcraRateLimiter(perSecond, burst, 10_000);
            Map<String, long[]> buckets = new HashMap<>();
            long now = 0;
            for (int i = 0; i < 5_000; i++) {
                now += random.nextLong(interval);
                String user = "user-" + random.nextInt(1 + random.nextInt(60));
                long[] bucket = buckets.computeIfAbsent(user, u -> new long[]{interval * burst, 0});
                bucket[0] = Math.min(interval * burst, bucket[0] + now - bucket[1]);
                bucket[1] = now;
                long wait = Math.max(0, interval - bucket[0]);
                assertThat(limiter.take(user, now)).as("seed %d, request %d", seed, i)
                        .isEqualTo(wait);
                bucket[0] -= wait == 0 ? interval : 0;
            }
        }
    }

    @Test
    @DisplayName("X5: a crowd of one-time users does not evict a user over the limit")
    void crowdDoesNotEvictTheGreedy() {
        GcraRateLimiter limiter = new GcraRateLimiter(1, 5, 64);
        for (int i = 0; i < 5; i++) {
            limiter.take("greedy", 0);
        }
        for (int i = 0; i < 100_000; i++) {
            assertThat(limiter.take("other-" + i, i)).isZero();
        }
        assertThat(limiter.take("greedy", 100_000)).isPositive();
    }

    @Test
    @DisplayName("X5: of one user's requests on many threads, exactly the burst is accepted")
    void burstAcrossThreads() {
        GcraRateLimiter limiter = new GcraRateLimiter(1, 1_000, 8);
        AtomicInteger taken = new AtomicInteger();
        IntStream.range(0, 20_000).parallel().forEach(i -> {
            if (limiter.take("ann", 0) == 0) {
                taken.incrementAndGet();
            }
        });
        assertThat(taken).hasValue(1_000);
    }

    @Test
    @DisplayName("X5: the smallest and the largest limits that may be set")
    void extremes() {
        GcraRateLimiter endless = new GcraRateLimiter(Long.MAX_VALUE, Long.MAX_VALUE, 1);
        GcraRateLimiter single = new GcraRateLimiter(1, 1, 1);
        for (int i = 0; i < 1_000; i++) {
            assertThat(endless.take("ann", i)).isZero();
        }
        assertThat(single.take("", 0)).isZero();
        assertThat(single.take("", 0)).isEqualTo(SECOND);
        assertThat(single.take("", SECOND)).isZero();
    }
}
