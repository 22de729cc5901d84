package dev.rush.bench.comparison;

/**
 * The load on a way.
 *
 * @param attempts one per user, each for one unit; the stock is half of that
 * @param clients connections, each with one attempt at a time
 * @param faults faults per thousand attempts: on average half of the clients die right after a
 *     message, and half stall before a message for longer than the lock's expiry
 */
record Setup(int attempts, int clients, int faults) {

    int stock() {
        return attempts / 2;
    }
}
