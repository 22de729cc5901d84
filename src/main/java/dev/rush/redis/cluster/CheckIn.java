package dev.rush.redis.cluster;

import java.util.concurrent.TimeUnit;

/**
 * What one connection knows of a partition: the epoch in which the node answers it. It is asked for
 * before the connection's first call for that partition, and again after a redirection or where
 * nothing was heard for a while, as the node may have been a replica meanwhile. On its event loop
 * only.
 */
public final class CheckIn {

    /** Longer than calls pause in a rush, and far shorter than two failovers take. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private enum State { NEW, ASKED, FAILED, DONE }

    private State state = State.NEW;
    private Epoch epoch;
    private long sinceNanos;

    /**
     * Whether Redis should be asked before the next call.
     *
     * @param again whether a call is sent once more, with its script, because the node knew none
     */
    public boolean isDue(long now, boolean again) {
        return switch (state) {
            case NEW -> true;
            case ASKED -> false;
            case FAILED -> again || now - sinceNanos > RETRY_NANOS;
            case DONE -> now - sinceNanos > SILENCE_NANOS;
        };
    }

    /** Redis is being asked. */
    public void asked() {
        state = State.ASKED;
        epoch = null;
    }

    /** What Redis said; null if it did not. */
    public void answered(Epoch said, long now) {
        state = said == null ? State.FAILED : State.DONE;
        epoch = said;
        sinceNanos = now;
    }

    /** A call over this connection was answered. */
    public void heard(long now) {
        if (state == State.DONE) {
            sinceNanos = now;
        }
    }

    /** What Redis said holds no more. */
    public void forget() {
        if (state == State.DONE) {
            state = State.NEW;
            epoch = null;
        }
    }

    /** The epoch in which calls over this connection are answered; null while it is not known. */
    public Epoch epoch() {
        return epoch;
    }
}
