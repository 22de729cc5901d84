package dev.rush.ledger;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Work for a client who waits: either it begins, or the client gives it up before that, and then it
 * never begins. What has begun and was not answered may have been committed.
 */
final class Attempt {

    private final AtomicBoolean decided = new AtomicBoolean();

    /** Returns whether the work may begin; asked once, before anything is sent to PostgreSQL. */
    boolean begin() {
        return decided.compareAndSet(false, true);
    }

    /** Returns whether the work has not begun, and hence never will. */
    boolean giveUp() {
        return decided.compareAndSet(false, true);
    }
}
