package dev.rush.bench.wire;

import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** What a crowd was answered. Each thread has its own; they are added up at the end. */
public final class Tally {
    private static final long LATENCY_MAX_NANOS = TimeUnit.MINUTES.toNanos(2);
    private static final long TICK_MS = 10;
    private static final long BEGIN_NANOS = System.nanoTime();

    private final Histogram latency = new Histogram(LATENCY_MAX_NANOS, 3);
    private final Map<String, Long> words = new TreeMap<>();
    private final Map<String, Long> failures = new TreeMap<>();
    private final String sumOf;
    // The ticks since BEGIN_NANOS in which the service decided something.
    private final BitSet decided = new BitSet();
    private int lastTick;
    private long sum;
    private long unanswered;
    // Read by the thread that shows the progress; written by one thread only.
    private volatile long count;

    /**
     * An empty tally.
     *
     * @param sumOf a number of accepted answers that is to be added up; null: none
     */
    public Tally(String sumOf) {
        this.sumOf = sumOf;
    }

    void answered(HttpAnswer answer, long nanos) {
        latency.recordValue(Math.min(nanos, LATENCY_MAX_NANOS));
        String word = answer.word();
        words.merge(word, 1L, Long::sum);
        if (sumOf != null && word.equals("accepted")) {
            sum += answer.number(sumOf);
        }
        ended(answer.status() < 500);
    }

    void unanswered(String reason) {
        unanswered++;
        failures.merge(reason, 1L, Long::sum);
        ended(false);
    }

    private void ended(boolean answered) {
        lastTick = (int) ((System.nanoTime() - BEGIN_NANOS) / 1_000_000 / TICK_MS);
        if (answered) {
            decided.set(lastTick);
        }
        count++;
    }

    void gaveUp(String reason) {
        failures.merge("a connection was given up: " + reason, 1L, Long::sum);
    }

    /** Adds another tally to this one. */
    public void add(Tally other) {
        latency.add(other.latency);
        other.words.forEach((word, times) -> words.merge(word, times, Long::sum));
        other.failures.forEach((reason, times) -> failures.merge(reason, times, Long::sum));
        sum += other.sum;
        unanswered += other.unanswered;
        decided.or(other.decided);
        lastTick = Math.max(lastTick, other.lastTick);
        count += other.count;
    }

    /** How many requests have ended so far, answered or not. */
    public long count() {
        return count;
    }

    /** How often each word was the answer. */
    public Map<String, Long> words() {
        return words;
    }

    /** How often a word was the answer. */
    public long of(String word) {
        return words.getOrDefault(word, 0L);
    }

    /** Requests that were sent and not answered. */
    public long unanswered() {
        return unanswered;
    }

    /** Why connections failed, and how often. */
    public Map<String, Long> failures() {
        return failures;
    }

    /** The longest time in which nobody got a decision, in steps of 10 ms, until the last end. */
    public long gapMs() {
        long longest = 0;
        for (int tick = decided.nextSetBit(0); tick >= 0;) {
            int next = decided.nextSetBit(tick + 1);
            longest = Math.max(longest, (next < 0 ? lastTick : next) - tick);
            tick = next;
        }
        return longest * TICK_MS;
    }

    /** What the named number of the accepted answers adds up to. */
    public long sum() {
        return sum;
    }

    /** Milliseconds within which so many percent were answered. */
    public double latencyMs(double percentile) {
        return latency.getValueAtPercentile(percentile) / 1e6;
    }

    /** Milliseconds of the slowest answer. */
    public double latencyMaxMs() {
        return latency.getMaxValue() / 1e6;
    }
}
