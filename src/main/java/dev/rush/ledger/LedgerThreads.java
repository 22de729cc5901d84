package dev.rush.ledger;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jboss.threads.ViewExecutor;

/**
 * The threads of clients' calls. Changes, reads and lookups each use a part of them and have a
 * queue of their own, so that none can occupy all threads (of two or more), however many hang.
 */
final class LedgerThreads {

    private static final int LOOKUPS_WAITING = 100;

    private final ThreadPoolExecutor pool;
    private final Executor changes;
    private final Executor reads;
    private final Executor lookups;

    /**
     * Creates the threads; each is started when it is needed.
     *
     * @param queue maximum number of changes that wait; half as many reads may
     */
    LedgerThreads(int threads, int queue) {
        int forChanges = Math.max(1, threads - 1);
        int forReads = Math.max(1, threads / 2);
        // The parts add up to more than the threads, so that a quiet one leaves them to the others.
        pool = new ThreadPoolExecutor(threads, threads, 30, TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(forChanges + forReads + 1),
                new DefaultThreadFactory("ledger", true));
        pool.allowCoreThreadTimeOut(true);
        changes = part(forChanges, queue);
        reads = part(forReads, queue / 2);
        lookups = part(1, LOOKUPS_WAITING);
    }

    private Executor part(int threads, int queue) {
        return ViewExecutor.builder(pool).setMaxSize(threads).setQueueLimit(queue).build();
    }

    /** All threads but one. */
    Executor changes() {
        return changes;
    }

    /** Half of the threads. */
    Executor reads() {
        return reads;
    }

    /** One thread. */
    Executor lookups() {
        return lookups;
    }

    void shutdown() {
        pool.shutdown();
    }
}
