package dev.rush.http;

import dev.rush.RushConfig;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory budget of a pod for request bodies. Bodies in transit may take only half of it, so
 * that clients that never finish do not lock out those that send at once. The number of bodies in
 * transit per user is limited too, so that one user does not lock out others.
 */
@Singleton
public class BodyBudget {

    private final AtomicLong held = new AtomicLong();
    private final long max;
    private final Shares waiting;

    @Inject
    BodyBudget(RushConfig config) {
        max = config.http().bodyBudget();
        waiting = new Shares(config.http().bodiesPerUser());
    }

    /** Whether a body of this user may be received; if so, {@link #awaited} must follow. */
    boolean await(String user) {
        return waiting.take(user);
    }

    /** Ends the wait for a body of this user. */
    void awaited(String user) {
        waiting.giveBack(user);
    }

    /** Takes bytes, unless that would exceed the budget. The caller must give them back. */
    boolean take(long bytes, boolean onItsWay) {
        long now = held.addAndGet(bytes);
        if (now > (onItsWay ? max / 2 : max)) {
            held.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    void giveBack(long bytes) {
        held.addAndGet(-bytes);
    }
}
