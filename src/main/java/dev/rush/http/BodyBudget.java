package dev.rush.http;

import dev.rush.RushConfig;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory budget of a pod for request bodies. Bodies in transit may take only half of it, so
 * that clients that never finish do not lock out those that send at once. The number of bodies in
 * transit per buyer is limited too, so that one buyer does not lock out others.
 */
@Singleton
public class BodyBudget {

    private static final int RETRY_AFTER_SECONDS = 1;

    private final AtomicLong held = new AtomicLong();
    private final long max;
    private final Shares bodies;

    @Inject
    BodyBudget(RushConfig config) {
        max = config.http().bodyBudget();
        bodies = new Shares(config.http().bodiesPerUser(), "bodies",
                "This user already has the maximum number of request bodies in transit to this"
                        + " pod.", RETRY_AFTER_SECONDS);
    }

    /** Whether one more body of a caller may be in transit; if so, {@link #endTransit} follows. */
    boolean beginTransit(Caller caller) {
        return !caller.isLimited() || bodies.take(caller.user());
    }

    /** The refusal of a caller that has too many bodies in transit. */
    Problem tooManyInTransit() {
        return bodies.refusal();
    }

    /** A body of this caller has arrived or failed. */
    void endTransit(Caller caller) {
        if (caller.isLimited()) {
            bodies.giveBack(caller.user());
        }
    }

    /** Takes bytes, unless that would exceed the budget. The caller must give them back. */
    boolean take(long bytes, boolean inTransit) {
        long now = held.addAndGet(bytes);
        if (now > (inTransit ? max / 2 : max)) {
            held.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    void giveBack(long bytes) {
        held.addAndGet(-bytes);
    }
}
