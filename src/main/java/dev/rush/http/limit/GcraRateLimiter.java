package dev.rush.http.limit;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Rate limits of many users by the generic cell rate algorithm (GCRA, virtual scheduling, ITU-T
 * I.371). It stores one time per user: when the bucket will be full again. A user whose time has
 * passed is equivalent to a new one, so only recently active users need an entry.
 *
 * <p>Entries are 16 bytes in one array, so that a crowd of new users creates no work for the
 * garbage collector. A user is identified by 64 bits of a keyed hash; two users with the same bits
 * share a bucket. If all entries of a user's set are taken, the one with the fullest bucket is
 * evicted: that user may then call sooner than allowed, never later.
 */
final class GcraRateLimiter {

    private static final int WAYS = 8;
    private static final int LOCKS = 64;
    private static final long PRIME = 0x100000001B3L;
    private static final long MIX = 0x9E3779B97F4A7C15L;
    private static final long FOREVER = Long.MAX_VALUE / 4;

    private final long intervalNanos;
    private final long bucketNanos;
    private final long seed = ThreadLocalRandom.current().nextLong();
    /** For each entry the user's hash, followed by the time at which the bucket is full again. */
    private final long[] entries;
    private final int sets;
    private final Object[] locks = new Object[LOCKS];

    /**
     * Creates full buckets.
     *
     * @param perSecond requests per second that a user may send continuously
     * @param burst     requests that a user may send at once after a pause
     * @param users     minimum number of entries
     */
    GcraRateLimiter(long perSecond, long burst, int users) {
        intervalNanos = Math.max(1, 1_000_000_000L / perSecond);
        bucketNanos = burst > FOREVER / intervalNanos ? FOREVER : burst * intervalNanos;
        sets = Integer.highestOneBit(Math.max(1, 2 * ((users + WAYS - 1) / WAYS) - 1));
        entries = new long[sets * WAYS * 2];
        Arrays.setAll(locks, i -> new Object());
    }

    /**
     * Takes a token of a user, if there is one.
     *
     * @param nowNanos nanoseconds on a clock that began at 0 and never goes back
     * @return 0 if it was taken, else the nanoseconds until there is one
     */
    long take(String user, long nowNanos) {
        long hash = hash(user);
        int set = (int) (hash >>> Integer.SIZE) & sets - 1;
        synchronized (locks[set & LOCKS - 1]) {
            int entry = entry(set, hash);
            long full = entries[entry] == hash ? Math.max(nowNanos, entries[entry + 1]) : nowNanos;
            long waitNanos = full + intervalNanos - nowNanos - bucketNanos;
            if (waitNanos <= 0) {
                entries[entry] = hash;
                entries[entry + 1] = full + intervalNanos;
            }
            return Math.max(0, waitNanos);
        }
    }

    /** The index of the user's entry, or of the one with the fullest bucket. */
    private int entry(int set, long hash) {
        int first = set * WAYS * 2;
        int best = first;
        for (int entry = first; entry < first + WAYS * 2; entry += 2) {
            if (entries[entry] == hash) {
                return entry;
            }
            if (entries[entry + 1] < entries[best + 1]) {
                best = entry;
            }
        }
        return best;
    }

    private long hash(String user) {
        long hash = seed;
        for (int i = 0; i < user.length(); i++) {
            hash = (hash ^ user.charAt(i)) * PRIME;
        }
        hash = (hash ^ hash >>> 32) * MIX;
        return hash ^ hash >>> 29;
    }
}
