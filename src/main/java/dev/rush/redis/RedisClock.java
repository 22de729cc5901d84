package dev.rush.redis;

import java.util.concurrent.TimeUnit;

/**
 * A node's clock, as one event loop knows it. Every reply that carries the node's time bounds the
 * offset between that clock and this process's monotonic one from below (the reply was on its way
 * for a while); the largest bound of the last seconds is the estimate. So a deadline in Redis's
 * time is never later than the caller's own.
 */
final class RedisClock {

    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(5);

    private long current = Long.MIN_VALUE;
    private long previous = Long.MIN_VALUE;
    private long windowEndNanos;

    /** Forgets everything, as before the first reply of a new connection. */
    void reset() {
        current = Long.MIN_VALUE;
        previous = Long.MIN_VALUE;
        windowEndNanos = System.nanoTime() + WINDOW_NANOS;
    }

    /** Takes note of a reply that carried the node's time in milliseconds. */
    void observe(long redisMillis) {
        long now = System.nanoTime();
        if (now - windowEndNanos > 0) {
            previous = current;
            current = Long.MIN_VALUE;
            windowEndNanos = now + WINDOW_NANOS;
        }
        current = Math.max(current, redisMillis - TimeUnit.NANOSECONDS.toMillis(now));
    }

    /** An instant of {@link System#nanoTime()} in the node's milliseconds. */
    long toRedisMillis(long nanoTime) {
        return Math.max(current, previous) + TimeUnit.NANOSECONDS.toMillis(nanoTime);
    }
}
