package dev.rush.bench.wire;

import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Counts the answers of one thread. The tallies of all threads are added up at the end. */
public final class Tally {
    private static final long LATENCY_MAX_NANOS = TimeUnit.MINUTES.toNanos(2);
    private static final long TICK_MS = 10;
    private static final long BEGIN_NANOS = System.nanoTime();

    private final Histogram latency = new Histogram(LATENCY_MAX_NANOS, 3);
    private final Map<String, Long> words = new TreeMap<>();
    private final Map<String, Long> failures = new TreeMap<>();
    private final String sumOf;
    // The ticks since BEGIN_NANOS in which the service made a decision.
    private final BitSet decided = new BitSet();
    private int lastTick;
    private long sum;
    private long unanswered;
    // Read by the thread that shows the progress; written by one thread only.
    private volatile long count;

    /**
     * Creates an empty tally.
     *
     * @param sumOf the name of a number in accepted answers to add up; null: none
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

    /** Returns how many requests have ended so far, answered or not. */
    public long count() {
        return count;
    }

    /** Returns how often each word was the answer. */
    public Map<String, Long> words() {
        return words;
    }

    /** Returns how often a word was the answer. */
    public long of(String word) {
        return words.getOrDefault(word, 0L);
    }

    /** Returns how many requests were sent and not answered. */
    public long unanswered() {
        return unanswered;
    }

    /** Returns how often connections failed, by reason. */
    public Map<String, Long> failures() {
        return failures;
    }

    /** Returns the longest time without a decision, in steps of 10 ms, up to the last request. */
    public long gapMs() {
        long longest = 0;
        for (int tick = decided.nextSetBit(0); tick >= 0;) {
            int next = decided.nextSetBit(tick + 1);
            longest = Math.max(longest, (next < 0 ? lastTick : next) - tick);
            tick = next;
        }
        return longest * TICK_MS;
    }

    /** Returns the sum of the named number over accepted answers. */
    public long sum() {
        return sum;
    }

    /** Returns a percentile, 0 to 100, of the latency in milliseconds. */
    public double latencyMs(double percentile) {
        return latency.getValueAtPercentile(percentile) / 1e6;
    }

    /** Returns the latency of the slowest answer in milliseconds. */
    public double latencyMaxMs() {
        return latency.getMaxValue() / 1e6;
    }
}
