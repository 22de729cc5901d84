package dev.rush.ledger.writer;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Schedules the polls of one partition's stream, one at a time. The next poll follows at once if
 * the last one found entries, after twice the last pause if it found none, and after 0.1 to 2
 * seconds if it failed or left entries in the stream.
 */
public final class PollTimer {

    private static final Logger LOG = Logger.getLogger(PollTimer.class);
    private static final long PAUSE_FIRST_MS = 10;
    private static final long RETRY_FIRST_MS = 100;
    private static final long RETRY_MAX_MS = 2_000;

    private final ScheduledExecutorService scheduler;
    private final LongSupplier pauseMaxMs;
    private final Runnable poll;
    private volatile boolean stopped;
    private @Nullable ScheduledFuture<?> next;
    /** The number of the scheduled poll, to recognise one that was cancelled too late. */
    private long turn;
    private long pauseMs = PAUSE_FIRST_MS;
    private long retryMs = RETRY_FIRST_MS;
    private boolean polling;
    private boolean retrying;
    /** Whether something entered the stream during a poll. */
    private boolean wakened;

    /**
     * A timer that is not started.
     *
     * @param pauseMaxMs longest pause in milliseconds while the stream stays empty
     * @param poll       runs on the scheduler, and ends in a call of {@link #pollAgain},
     *                   {@link #backOff} or {@link #retryLater}, on any thread
     */
    public PollTimer(ScheduledExecutorService scheduler, LongSupplier pauseMaxMs, Runnable poll) {
        this.scheduler = scheduler;
        this.pauseMaxMs = pauseMaxMs;
        this.poll = poll;
    }

    public void start() {
        schedule(0);
    }

    /** Begins no more polls; a running one completes. */
    public void stop() {
        stopped = true;
    }

    /** Whether it was stopped, or its scheduler was. */
    public boolean isStopped() {
        return stopped;
    }

    /** Polls now, because something has just entered the stream. */
    public synchronized void wake() {
        if (polling) {
            wakened = true;
        } else if (pauseMs > PAUSE_FIRST_MS && cancel()) {
            pauseMs = PAUSE_FIRST_MS;
            schedule(0);
        }
    }

    /** Shortens a pause that exceeds the current maximum. */
    public synchronized void pollSoon() {
        long max = pauseMaxMs.getAsLong();
        if (!polling && pauseMs > max && cancel()) {
            pauseMs = max;
            schedule(ThreadLocalRandom.current().nextLong(max));
        }
    }

    /** The poll found entries. */
    public synchronized void pollAgain() {
        pauseMs = PAUSE_FIRST_MS;
        retryMs = RETRY_FIRST_MS;
        schedule(0);
    }

    /**
     * The poll found nothing.
     *
     * @param maxMs milliseconds until the next poll at most
     */
    public synchronized void backOff(long maxMs) {
        pauseMs = Math.min(2 * pauseMs, pauseMaxMs.getAsLong());
        retryMs = RETRY_FIRST_MS;
        schedule(Math.min(pauseMs, maxMs));
    }

    /** The poll failed, or what it found could not be moved on. */
    public synchronized void retryLater() {
        wakened = false;
        schedule(retryMs);
        retrying = true;
        retryMs = Math.min(2 * retryMs, RETRY_MAX_MS);
    }

    private boolean cancel() {
        return !retrying && next != null && next.cancel(false);
    }

    private synchronized void schedule(long ms) {
        if (stopped) {
            return;
        }
        long pause = wakened ? Math.min(ms, PAUSE_FIRST_MS) : ms;
        polling = false;
        retrying = false;
        wakened = false;
        try {
            long scheduled = ++turn;
            next = scheduler.schedule(() -> run(scheduled), pause, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            stopped = true;
        }
    }

    private void run(long scheduled) {
        synchronized (this) {
            // A task that has just started can still be cancelled, and runs nevertheless.
            if (scheduled != turn) {
                return;
            }
            polling = true;
        }
        try {
            poll.run();
        } catch (RuntimeException | Error e) {
            retryLater();
            LOG.error("A poll failed", e);
        }
    }
}
