package dev.rush.ledger;

import dev.rush.redis.RedisFailure;
import java.util.function.BooleanSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Background work that is repeated with a pause in between, on a dedicated thread. It continues
 * after every failure; one that is not an outage of a store is logged as an error.
 */
public final class PeriodicTask implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(PeriodicTask.class);

    private final String name;
    private final long pauseMs;
    private final BooleanSupplier work;
    private volatile @Nullable Thread thread;

    /**
     * Creates a task that is not started yet.
     *
     * @param work returns whether there is more to do at once
     */
    public PeriodicTask(String name, long pauseMs, BooleanSupplier work) {
        this.name = name;
        this.pauseMs = Math.max(1, pauseMs);
        this.work = work;
    }

    /** Starts. The first round runs after one pause. */
    public synchronized void start() {
        if (thread == null) {
            thread = new Thread(this::run, name);
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Stops, in the middle of a round if necessary. */
    @Override
    public synchronized void close() {
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(pauseMs);
                round();
            }
        } catch (InterruptedException e) {
            LOG.debugf("%s stops", name);
        }
    }

    private void round() throws InterruptedException {
        try {
            while (work.getAsBoolean()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        } catch (LedgerFailure e) {
            if (e.isOutage()) {
                LOG.debugf("%s waits for the ledger: %s", name, e.getMessage());
            } else {
                LOG.error(name + " failed", e);
            }
        } catch (RuntimeException | Error e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof RedisFailure) {
                LOG.debugf("%s waits for Redis: %s", name, cause.getMessage());
            } else {
                LOG.error(name + " failed", e);
            }
        }
    }
}
