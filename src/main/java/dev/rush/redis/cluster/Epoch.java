package dev.rush.redis.cluster;

import java.util.List;

/**
 * The time during which one Redis process serves a partition. Only with a new epoch, after a
 * failover or restart, can a partition have lost what was accepted. Redis keeps the latest epochs
 * of each partition beside its sequence, so they are lost and kept with it.
 *
 * @param server  the run id of the process
 * @param low     the partition's sequence number when the epoch began: nobody has an order of the
 *                process with that number or a lower one
 * @param begunMs the process's clock then, in milliseconds since 1970
 */
public record Epoch(String server, long low, long begunMs) {

    /** Of a Redis that does not tell which process it is. */
    public static final Epoch UNKNOWN = new Epoch("", 0, 0);

    /**
     * Reads an epoch as Redis has it.
     *
     * @throws IllegalArgumentException if it is spelled otherwise
     */
    public static Epoch parse(String text) {
        String[] words = text.split(" ", -1);
        if (words.length != 3) {
            throw new IllegalArgumentException("No epoch: " + text);
        }
        return new Epoch(words[0], Long.parseLong(words[1]), Long.parseLong(words[2]));
    }

    /**
     * The first epoch that began after one looked away.
     *
     * @param seen the epochs as one saw them, oldest first
     * @param now  the epochs as they are
     * @return null if there is none. Its low is lower than its own where an epoch that one saw is
     *         gone: what came with that one is gone too.
     */
    public static Epoch next(List<Epoch> seen, List<Epoch> now) {
        for (int i = seen.size() - 1; i >= 0; i--) {
            int place = now.lastIndexOf(seen.get(i));
            if (place == now.size() - 1) {
                return null;
            }
            if (place >= 0) {
                Epoch next = now.get(place + 1);
                return i + 1 == seen.size() || seen.get(i + 1).low >= next.low ? next
                        : new Epoch(next.server, seen.get(i + 1).low, next.begunMs);
            }
        }
        return now.isEmpty() || seen.isEmpty() ? null : now.get(0);
    }
}
