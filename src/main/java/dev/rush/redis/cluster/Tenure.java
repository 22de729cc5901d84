package dev.rush.redis.cluster;

/**
 * A period in which one Redis process served a partition. A failover or restart ends it, and may
 * lose the orders accepted last. Redis keeps the latest tenures beside the partition's sequence, so
 * both are lost or kept together.
 *
 * @param runId   of the process
 * @param low     the partition's sequence number when the tenure began; the process gives out only
 *                higher numbers
 * @param begunMs the process's clock then, in milliseconds since 1970
 */
public record Tenure(String runId, long low, long begunMs) {

    /** The tenure of a Redis that does not report its run id. */
    public static final Tenure UNKNOWN = new Tenure("", 0, 0);

    // Written by hand because every reply is compared: in the native executable GraalVM interprets
    // a record's generated `equals`.
    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof Tenure tenure && low == tenure.low
                && begunMs == tenure.begunMs && runId.equals(tenure.runId);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(low) * 31 + runId.hashCode();
    }

    /**
     * Parses a tenure as stored in Redis.
     *
     * @throws IllegalArgumentException if it is malformed
     */
    public static Tenure parse(String text) {
        String[] words = text.split(" ", -1);
        if (words.length != 3) {
            throw new IllegalArgumentException("Not a tenure: " + text);
        }
        return new Tenure(words[0], Long.parseLong(words[1]), Long.parseLong(words[2]));
    }
}
