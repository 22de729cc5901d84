package dev.rush.ledger.writer;

import dev.rush.WriterConfig;
import java.util.concurrent.TimeUnit;

/**
 * How often a pod polls the streams of its partitions while they are empty: eight times as often
 * for five seconds after entries were found, because orders come in bursts. That bounds the wait of
 * orders that other pods accepted, and spares an idle Redis.
 */
public final class PollRate {

    private static final int BURST = 8;
    private static final long BURST_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long PAUSE_MIN_MS = 20;

    private final int polls;
    private volatile long burstUntilNanos = System.nanoTime();

    public PollRate(WriterConfig config) {
        this.polls = config.idlePolls();
    }

    private boolean isBurst() {
        return System.nanoTime() - burstUntilNanos < 0;
    }

    /** Milliseconds between two polls of the same partition if this many are polled. */
    public long pauseMs(long partitions) {
        return Math.max(PAUSE_MIN_MS, 1000 * partitions / (isBurst() ? BURST * polls : polls));
    }

    /** Notes that entries were found. Returns whether this shortened the pauses. */
    public boolean found() {
        boolean begins = !isBurst();
        burstUntilNanos = System.nanoTime() + BURST_NANOS;
        return begins;
    }
}
