package dev.rush.http;

import dev.rush.RushConfig;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of request bodies that a pod reads. Bodies that are still on their way may take only
 * half of them, so that clients who never finish do not lock out those whose bodies come at once.
 */
@Singleton
public class BodyBudget {

    private final AtomicLong held = new AtomicLong();
    private final long most;

    @Inject
    BodyBudget(RushConfig config) {
        most = config.http().bodyBudget();
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
