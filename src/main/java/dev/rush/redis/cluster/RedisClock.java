package dev.rush.redis.cluster;

import java.util.concurrent.TimeUnit;

/**
 * A node's clock, as estimated by one event loop. A reply that carries the node's time bounds the
 * offset between that clock and this process's monotonic one from both sides: the time was read
 * after the call was sent and before the reply came. The largest lower bound of the last seconds is
 * the estimate, so a deadline in Redis's time is never later than the caller's own. A reply whose
 * upper bound lies below the estimate shows that the clock has stepped back: then only that reply
 * counts. A step that is shorter than its reply's round trip cannot be distinguished from delay; it
 * disappears with the window.
 */
public final class RedisClock {

    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long MILLI_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long UNKNOWN = Long.MIN_VALUE;

    private long current = UNKNOWN;
    private long previous = UNKNOWN;
    private long windowEndNanos;

    /** Resets the estimate, as before the first reply of a new connection. */
    void reset() {
        current = UNKNOWN;
        previous = UNKNOWN;
        windowEndNanos = System.nanoTime() + WINDOW_NANOS;
    }

    /**
     * Records a reply that has just arrived.
     *
     * @param redisMillis the node's time in it
     * @param sentNanos   when its call was sent, by {@link System#nanoTime()}
     */
    public void observe(long redisMillis, long sentNanos) {
        observe(redisMillis, sentNanos, System.nanoTime());
    }

    void observe(long redisMillis, long sentNanos, long now) {
        if (now - windowEndNanos > 0) {
            previous = current;
            current = UNKNOWN;
            windowEndNanos = now + WINDOW_NANOS;
        }
        long redisNanos = redisMillis * MILLI_NANOS;
        // The node truncated its time to milliseconds, so it may be up to one more.
        if (Math.max(current, previous) > redisNanos + MILLI_NANOS - sentNanos) {
            current = UNKNOWN;
            previous = UNKNOWN;
        }
        current = Math.max(current, redisNanos - now);
    }

    /**
     * An instant of {@link System#nanoTime()} in the node's milliseconds; before the first reply an
     * instant long past.
     */
    public long toRedisMillis(long nanoTime) {
        long offset = Math.max(current, previous);
        return offset == UNKNOWN ? 0 : Math.floorDiv(offset + nanoTime, MILLI_NANOS);
    }
}
