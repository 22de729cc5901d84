package dev.rush.redis.cluster;

import io.vertx.redis.client.Request;
import org.jspecify.annotations.Nullable;

/**
 * A call to Redis. It may be sent more than once, as long as it is certain that no earlier attempt
 * ran. Confined to one event loop.
 */
public abstract class Call {

    private boolean written;

    /**
     * The request to send now, created for each attempt; or null if no caller waits for the answer
     * any more. Then nothing is sent, so a call that was already answered never runs.
     *
     * @param node   the target, for its clock
     * @param asText whether the node lacks the script, so that its text must be sent
     */
    protected abstract @Nullable Request request(Node node, boolean asText);

    /** Whether the call ends only once its master's replicas have what it wrote. */
    protected boolean isReplicated() {
        return false;
    }

    /** Whether it may have been sent, and no reply shows that nothing ran. */
    public final boolean mayHaveRun() {
        return written;
    }

    final void written(boolean now) {
        written = now;
    }
}
