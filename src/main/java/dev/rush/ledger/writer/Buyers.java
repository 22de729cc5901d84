package dev.rush.ledger.writer;

import jakarta.inject.Singleton;

/**
 * Remembers which buyers have probably bought in a sale before, so that only their earlier orders
 * are read. It may be wrong either way: then the batch is stored on the second try. A pod that took
 * over a sale remembers none of its buyers, so after each wrong guess it reads those of all buyers
 * for a while.
 */
@Singleton
class Buyers {

    private static final int PLACES = 1 << 18;
    private static final int ASKED_AFTER_MISS = 64;

    private final long[] seen = new long[PLACES];
    private volatile int asking;

    /** Whether to read a buyer's earlier orders. */
    boolean maybe(String sale, String user) {
        long hash = hash(sale, user);
        return asking > 0 || seen[place(hash)] == hash;
    }

    /** This buyer's order is being stored; if that is rolled back, the guess is wrong. */
    void add(String sale, String user) {
        long hash = hash(sale, user);
        seen[place(hash)] = hash;
    }

    /** Orders were copied without a wrong guess. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // Losing a step back only asks once more.
    void stored() {
        if (asking > 0) {
            asking--;
        }
    }

    /** A buyer whose earlier orders were not read probably had some. */
    void missed() {
        asking = ASKED_AFTER_MISS;
    }

    private static long hash(String sale, String user) {
        long both = (long) sale.hashCode() << 32 | user.hashCode() & 0xffffffffL;
        long mixed = (both ^ both >>> 30) * 0xbf58476d1ce4e5b9L;
        return mixed ^ mixed >>> 27;
    }

    private static int place(long hash) {
        return (int) hash & PLACES - 1;
    }
}
