package dev.rush.http.limit;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How fast each of many users goes on, by the generic cell rate algorithm (virtual scheduling,
 * ITU-T I.371): of a user it keeps one moment, when its bucket will be full again. A user whose
 * moment has passed is like one never seen, so only those who came just now need a place.
 *
 * <p>Places are numbers in one array, 16 bytes each, so that a crowd of new users is no work for
 * the garbage collector. A user is known by 64 bits of a hash with a secret start; two users with
 * the same ones share a bucket. Where all places of a user's set are taken, the one whose bucket
 * is full soonest is forgotten: it may then go on sooner, never later.
 */
final class CellRates {

    private static final int WAYS = 8;
    private static final int LOCKS = 64;
    private static final long PRIME = 0x100000001B3L;
    private static final long MIX = 0x9E3779B97F4A7C15L;
    private static final long FOREVER = Long.MAX_VALUE / 4;

    private final long interval;
    private final long bucket;
    private final long seed = ThreadLocalRandom.current().nextLong();
    /** Of each place the user's hash and, after it, when the bucket is full again. */
    private final long[] places;
    private final int sets;
    private final Object[] locks = new Object[LOCKS];

    /**
     * Buckets that are full.
     *
     * @param perSecond requests a second that a user may go on with
     * @param burst     requests that a user may send at once after a pause
     * @param users     places there are at least
     */
    CellRates(long perSecond, long burst, int users) {
        interval = Math.max(1, 1_000_000_000L / perSecond);
        bucket = burst > FOREVER / interval ? FOREVER : burst * interval;
        sets = Integer.highestOneBit(Math.max(1, 2 * ((users + WAYS - 1) / WAYS) - 1));
        places = new long[sets * WAYS * 2];
        Arrays.setAll(locks, i -> new Object());
    }

    /**
     * Takes a token of a user's, if there is one.
     *
     * @param now nanoseconds on a clock that began at 0 and never goes back
     * @return 0 if it was taken, else the nanoseconds until there is one
     */
    long take(String user, long now) {
        long hash = hash(user);
        int set = (int) (hash >>> Integer.SIZE) & sets - 1;
        synchronized (locks[set & LOCKS - 1]) {
            int place = place(set, hash);
            long full = places[place] == hash ? Math.max(now, places[place + 1]) : now;
            long wait = full + interval - now - bucket;
            if (wait <= 0) {
                places[place] = hash;
                places[place + 1] = full + interval;
            }
            return Math.max(0, wait);
        }
    }

    /** Where the user is, or the place that is full again first. */
    private int place(int set, long hash) {
        int first = set * WAYS * 2;
        int best = first;
        for (int place = first; place < first + WAYS * 2; place += 2) {
            if (places[place] == hash) {
                return place;
            }
            if (places[place + 1] < places[best + 1]) {
                best = place;
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
