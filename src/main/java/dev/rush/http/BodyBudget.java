package dev.rush.http;

import dev.rush.RushConfig;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of request bodies that a pod reads. Bodies that are still on their way may take only
 * half of them, so that clients who never finish do not lock out those whose bodies come at once;
 * and of one user only so many are waited for, so that one does not lock out others.
 */
@Singleton
public class BodyBudget {

    private final AtomicLong held = new AtomicLong();
    private final long most;
    private final Shares waiting;

    @Inject
    BodyBudget(RushConfig config) {
        most = config.http().bodyBudget();
        waiting = new Shares(config.http().bodiesPerUser());
    }

    /** Whether a body of this user may be waited for; then {@link #awaited} has to follow. */
    boolean await(String user) {
        return waiting.take(user);
    }

    /** Ends that a body of this user is waited for. */
    void awaited(String user) {
        waiting.giveBack(user);
    }

    /** Takes bytes, unless that would be too many. The taker gives them back. */
    boolean take(long bytes, boolean onItsWay) {
        long now = held.addAndGet(bytes);
        if (now > (onItsWay ? most / 2 : most)) {
            held.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    void giveBack(long bytes) {
        held.addAndGet(-bytes);
    }
}
