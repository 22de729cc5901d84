package dev.rush.redis.cluster;

import io.vertx.redis.client.Request;

/**
 * A call to Redis. It may be sent more than once, while it is certain that no earlier attempt ran.
 * It belongs to one event loop.
 */
public abstract class Call {

    private boolean written;

    /**
     * The request to send now, called anew for each attempt; or null if nobody waits for the answer
     * any more: then nothing is sent, so what was answered by then never runs.
     *
     * @param node   to which it goes, for its clock
     * @param asText whether the node does not know the script, so that its text must be sent
     */
    protected abstract Request request(Node node, boolean asText);

    /** Whether the replicas of its master must have what it wrote before it has ended. */
    protected boolean isReplicated() {
        return false;
    }

    /** Whether bytes of it may have left, and no reply says that they ran nothing. */
    public final boolean mayHaveRun() {
        return written;
    }

    final void written(boolean now) {
        written = now;
    }
}
