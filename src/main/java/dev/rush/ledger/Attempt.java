package dev.rush.ledger;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Work for a waiting client. Either it begins, or the client gives up before, and then it never
 * begins. Work that has begun and was not answered may have been committed.
 */
final class Attempt {

    private final AtomicBoolean decided = new AtomicBoolean();

    /** Returns whether the work may begin; called once, before anything is sent to PostgreSQL. */
    boolean begin() {
        return decided.compareAndSet(false, true);
    }

    /** Returns whether the work has not begun, and so never will. */
    boolean giveUp() {
        return decided.compareAndSet(false, true);
    }
}
