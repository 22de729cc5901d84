package dev.rush.ledger;

/**
 * A duty that is renewed in the background until it is closed. Closing waits for a renewal that is
 * under way, so that none takes the duty again afterwards. It may also be left to lapse, so that
 * the same pod goes on.
 */
public final class KeptDuty implements AutoCloseable {
    private final LeaderLease lease;
    private final String duty;
    private final long ms;
    private final Ticker renewal;
    private boolean over;

    private KeptDuty(LeaderLease lease, String duty, long ms) {
        this.lease = lease;
        this.duty = duty;
        this.ms = ms;
        this.renewal = new Ticker("keeps " + duty, ms / 4, () -> {
            renew();
            return false;
        });
    }

    /**
     * Takes a duty and keeps it; null while another pod has it.
     *
     * @param ms how long it stays this pod's after the last renewal, of which there is one in each
     *        quarter of that time
     */
    public static KeptDuty take(LeaderLease lease, String duty, long ms) {
        KeptDuty kept = new KeptDuty(lease, duty, ms);
        if (!kept.renew()) {
            return null;
        }
        kept.renewal.start();
        return kept;
    }

    /** Renews it now. Returns whether this pod still has it. */
    public synchronized boolean renew() {
        return !over && lease.take(duty, ms);
    }

    /** Leaves it to lapse instead of giving it back, so that this pod is the first to go on. */
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
                lease.drop(duty);
            }
        }
    }
}
