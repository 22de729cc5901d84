package dev.rush.ledger;

import org.jspecify.annotations.Nullable;

/**
 * A lease that is renewed in the background until it is closed. Closing waits for a running
 * renewal, so that none takes the lease again afterwards. It can also be left to lapse, so that the
 * same pod is likely to keep it.
 */
public final class KeptLease implements AutoCloseable {
    private final LeaderLease lease;
    private final String name;
    private final long ms;
    private final PeriodicTask renewal;
    private boolean over;

    private KeptLease(LeaderLease lease, String name, long ms) {
        this.lease = lease;
        this.name = name;
        this.ms = ms;
        this.renewal = new PeriodicTask("keeps " + name, ms / 4, () -> {
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
        return !over && lease.take(name, ms);
    }

    /** Lets it lapse instead of releasing it, so that this pod can take it again first. */
    public void lapse() {
        renewal.close();
        synchronized (this) {
            over = true;
        }
    }

    @Override
    public void close() {
        renewal.close();
        synchronized (this) {
            if (!over) {
                over = true;
                lease.drop(name);
            }
        }
    }
}
