package dev.rush.redis.cluster;

import java.util.concurrent.TimeUnit;

/**
 * In which tenure one connection's calls to a partition are answered, as Redis told. It holds until
 * the node is no longer master, or until nothing has been heard for a second: the node may have
 * been a replica meanwhile. Used on its event loop only.
 */
public final class CheckIn {

    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** How long a Redis that reports no tenures is not asked again. */
    private static final long UNKNOWN_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Tenure latest;
    private Tenure tenure;
    private boolean ended;
    private boolean failed;
    private long heardNanos;

    /**
     * One that is being asked for.
     *
     * @param latest the latest tenure known before; null if none is
     */
    public CheckIn(Tenure latest) {
        this.latest = latest;
    }

    /** The latest tenure that was known before Redis was asked; null if none was. */
    public Tenure latest() {
        return latest;
    }

    /** The tenure in which calls over this connection are answered; null while it is not known. */
    public Tenure tenure() {
        return tenure;
    }

    /** Redis told in which tenure it answers, or {@link Tenure#UNKNOWN}. */
    public void answered(Tenure told, long now) {
        tenure = told;
        heardNanos = now;
    }

    /** The question did not run. */
    public void failed() {
        failed = true;
    }

    /** Whether the question did not run. */
    public boolean hasFailed() {
        return failed;
    }

    /** A call over this connection was answered. */
    public void heard(long now) {
        if (!Tenure.UNKNOWN.equals(tenure)) {
            heardNanos = now;
        }
    }

    /** Another one is to take its place. */
    public void end() {
        ended = true;
    }

    /** Whether Redis is to be asked again before the next call. */
    public boolean isOver(long now) {
        return ended || failed || tenure != null && now - heardNanos
                > (tenure.equals(Tenure.UNKNOWN) ? UNKNOWN_NANOS : SILENCE_NANOS);
    }
}
