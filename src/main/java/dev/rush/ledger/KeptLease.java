package dev.rush.ledger;

import org.jspecify.annotations.Nullable;

/**
 * A lease that is renewed in the background until it is closed. Closing waits for a running
 * renewal, so that none takes the lease again afterwards. Letting it lapse instead lets the same
 * pod take it again first.
 */
public final class KeptLease implements AutoCloseable {
    private final LeaderLease lease;
    private final String name;
    private final long ms;
    private final PeriodicTask renewal;
    private boolean ended;

    private KeptLease(LeaderLease lease, String name, long ms) {
        this.lease = lease;
        this.name = name;
        this.ms = ms;
        this.renewal = new PeriodicTask("renews " + name, ms / 4, () -> {
            renew();
            return false;
        });
    }

    /**
     * Takes a lease and keeps it; null if another pod has it.
     *
     * @param ms how long it is valid after a renewal; it is renewed four times in that period
     */
    public static @Nullable KeptLease take(LeaderLease lease, String name, long ms) {
        KeptLease kept = new KeptLease(lease, name, ms);
        if (!kept.renew()) {
            return null;
        }
        kept.renewal.start();
        return kept;
    }

    /** Renews it now. Returns whether this pod still has it. */
    public synchronized boolean renew() {
        return !ended && lease.take(name, ms);
    }

    /** Lets it lapse instead of releasing it, so that this pod can take it again first. */
    public void lapse() {
        renewal.close();
        synchronized (this) {
            ended = true;
        }
    }

    @Override
    public void close() {
        renewal.close();
        synchronized (this) {
            if (!ended) {
                ended = true;
                lease.release(name);
            }
        }
    }
}
