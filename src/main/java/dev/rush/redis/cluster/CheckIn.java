package dev.rush.redis.cluster;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The tenure in which one connection's calls to a partition are answered, as reported by Redis. It
 * is valid until the node is no longer master, or until no reply has come for a second, because the
 * node may have been a replica meanwhile. Used only on its event loop.
 */
public final class CheckIn {

    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** How long to wait before tenures are requested again from a Redis that reports none. */
    private static final long UNKNOWN_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final @Nullable Tenure latest;
    private @Nullable Tenure tenure;
    private boolean ended;
    private boolean failed;
    private long repliedNanos;

    /**
     * Creates a check-in that is being requested.
     *
     * @param latest the latest tenure known before; null if none is
     */
    public CheckIn(@Nullable Tenure latest) {
        this.latest = latest;
    }

    /** The latest tenure that was known before the request; null if none was. */
    public @Nullable Tenure latest() {
        return latest;
    }

    /** The tenure in which calls over this connection are answered; null while unknown. */
    public @Nullable Tenure tenure() {
        return tenure;
    }

    /** Redis has reported its tenure, or {@link Tenure#UNKNOWN}. */
    public void answered(Tenure reported, long now) {
        tenure = reported;
        repliedNanos = now;
    }

    /** The request did not run. */
    public void failed() {
        failed = true;
    }

    /** Whether the request did not run. */
    public boolean hasFailed() {
        return failed;
    }

    /** A call over this connection was answered, so its tenure is still the current one. */
    public void replied(long now) {
        if (!Tenure.UNKNOWN.equals(tenure)) {
            repliedNanos = now;
        }
    }

    /** Marks the check-in as obsolete. */
    public void end() {
        ended = true;
    }

    /** Whether tenures must be requested again before the next call. */
    public boolean isOver(long now) {
        return ended || failed || tenure != null && now - repliedNanos
                > (tenure.equals(Tenure.UNKNOWN) ? UNKNOWN_NANOS : SILENCE_NANOS);
    }
}
