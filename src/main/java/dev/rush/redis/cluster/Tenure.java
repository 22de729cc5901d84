package dev.rush.redis.cluster;

/**
 * The time during which one Redis process serves a partition. Only where one tenure follows
 * another, after a failover or restart, can a partition have lost what was accepted. Redis keeps
 * the latest tenures of each partition beside its sequence, so both are lost or kept together.
 *
 * @param server  the run id of the process
 * @param low     the partition's sequence number when the tenure began: nobody has an order of the
 *                process with that number or a lower one
 * @param begunMs the process's clock then, in milliseconds since 1970
 */
public record Tenure(String server, long low, long begunMs) {

    /** Of a Redis that does not report its run id. */
    public static final Tenure UNKNOWN = new Tenure("", 0, 0);

    /**
     * Reads a tenure as Redis has it.
     *
     * @throws IllegalArgumentException if it is spelled otherwise
     */
    public static Tenure parse(String text) {
        String[] words = text.split(" ", -1);
        if (words.length != 3) {
            throw new IllegalArgumentException("No tenure: " + text);
        }
        return new Tenure(words[0], Long.parseLong(words[1]), Long.parseLong(words[2]));
    }
}
