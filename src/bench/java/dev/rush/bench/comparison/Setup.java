package dev.rush.bench.comparison;

/**
 * What a way is put through.
 *
 * @param attempts each by a user of its own who wants one unit; there is one unit for every second
 * @param clients connections that each carry one attempt at a time
 * @param faults how many of a thousand attempts meet a fault: every second one's client dies right
 *     after a message, every other one's client stalls before a message for longer than a lock
 *     lives
 */
record Setup(int attempts, int clients, int faults) {

    int stock() {
        return attempts / 2;
    }
}
