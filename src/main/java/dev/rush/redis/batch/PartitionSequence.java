package dev.rush.redis.batch;

import dev.rush.redis.Partition;
import dev.rush.redis.cluster.Tenure;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The highest sequence number that this pod has seen of one partition, and its tenures. A number of
 * an earlier tenure is lost if it is above the one at which the next tenure began, even if orders
 * of other pods have taken it since. If the tenure is unknown, a number that decreases shows a
 * loss. Thread-safe.
 */
final class PartitionSequence {

    private final Partition partition;
    private final LongConsumer lostCounter;
    private List<Tenure> tenures = List.of();
    /** The tenures known before, and the gap that their replacement showed; null if none. */
    private List<Tenure> former = List.of();
    private @Nullable Gap formerGap;
    private long number;
    /** The highest number in replies whose tenure was unknown. */
    private long unplaced;
    private int losses;
    /** The lowest number to which the last loss set the sequence back. */
    private long low;
    /** The last gap that was counted, and the number up to which it was counted. */
    private @Nullable Gap countedLast;
    private long counted;

    /**
     * The known state before a call is sent.
     *
     * @param number the highest; the call cannot begin below it
     * @param losses the number of detected losses; a reply to a call from before the last of them
     *               may come from a former master
     * @param tenure the latest; null if none is known
     */
    record Mark(long number, int losses, @Nullable Tenure tenure) {
    }

    /**
     * What a reply shows.
     *
     * @param loss         null if there is no new one
     * @param needsCheckIn whether the connection must check in again
     */
    record Observation(@Nullable SequenceLost loss, boolean needsCheckIn) {
    }

    /**
     * Creates an empty sequence.
     *
     * @param lostCounter receives the number of further lost numbers, before the loss is visible
     *                    elsewhere
     */
    PartitionSequence(Partition partition, LongConsumer lostCounter) {
        this.partition = partition;
        this.lostCounter = lostCounter;
    }

    synchronized Mark mark() {
        return new Mark(number, losses, latest());
    }

    /**
     * Records the tenures.
     *
     * @param reported oldest first; at least one
     * @param known    the latest tenure that was known when they were requested; null if none was
     * @param redisMs  Redis's time of the reply
     * @return the loss that they show; null if none
     */
    synchronized @Nullable SequenceLost checkIn(
            List<Tenure> reported, @Nullable Tenure known, long redisMs) {
        Tenure answering = reported.get(reported.size() - 1);
        if (answering.equals(latest())) {
            return null;
        }
        Tenure after = after(answering);
        boolean isFormer = after != null || former.contains(answering);
        if (isFormer && !Objects.equals(latest(), known)) {
            // A former master, queried before its successor was known.
            return null;
        }
        Gap gap = after == null ? firstGap(reported)
                : new Gap(after.low(), after.begunMs(), redisMs, false, after.begunMs());
        SequenceLost loss = gap == null ? null : lost(gap, number);
        if (gap == null || loss == null) {
            number = Math.max(unplaced, number);
        } else {
            number = Math.max(unplaced, gap.low);
            losses++;
            low = gap.low;
        }
        unplaced = 0;
        replaceTenures(List.copyOf(reported), gap);
        return loss;
    }

    /**
     * Records a reply's number.
     *
     * @param before   the result of {@link #mark} before the call was sent
     * @param tenure   in which the call was answered; null if unknown
     * @param current  the number after the call
     * @param accepted how many numbers the call itself took
     * @param redisMs  Redis's time in the reply
     */
    synchronized Observation observe(
            Mark before, @Nullable Tenure tenure, long current, int accepted, long redisMs) {
        Tenure placed = Tenure.UNKNOWN.equals(tenure) ? null : tenure;
        if (placed != null && !placed.equals(latest())) {
            // A call sent after the tenure changed shows nothing: the process may be master again.
            Gap gap = placed.equals(before.tenure) ? gapAfter(placed) : null;
            return new Observation(gap == null ? null : lost(gap, current), true);
        }
        boolean isSame = placed == null || placed.equals(before.tenure);
        long begun = current - accepted;
        if (isSame && begun < before.number) {
            Gap gap = placed == null ? new Gap(begun, 0, redisMs, false, 0)
                    : new Gap(begun, since(begun, tenures.size()), redisMs, false,
                            placed.begunMs());
            return new Observation(before.losses == losses ? newLoss(gap, current)
                    : largerLoss(gap), placed != null);
        }
        if (!isSame || before.losses == losses) {
            unplaced = tenure == null ? Math.max(unplaced, current) : unplaced;
            number = tenure == null ? number : Math.max(number, current);
        }
        return new Observation(null, false);
    }

    /** Forgets all tenures: from here on only a number that decreases shows a loss. */
    synchronized void forgetTenures() {
        number = Math.max(number, unplaced);
        unplaced = 0;
        tenures = List.of();
        former = List.of();
    }

    private @Nullable Tenure latest() {
        return tenures.isEmpty() ? null : tenures.get(tenures.size() - 1);
    }

    /** The successor of a tenure; null if it is the latest, or unknown. */
    private @Nullable Tenure after(Tenure tenure) {
        int place = tenures.lastIndexOf(tenure);
        return place < 0 || place == tenures.size() - 1 ? null : tenures.get(place + 1);
    }

    /** Numbers above a low one, given out between two times; lost after a tenure began. */
    private record Gap(long low, long sinceMs, long noticedAtMs, boolean exact,
            long tenureBegunMs) {
        static Gap between(long low, long sinceMs, Tenure last, Tenure next) {
            return new Gap(low, sinceMs, next.begunMs(), sinceMs > 0, last.begunMs());
        }
    }

    /** What the successor of a former tenure lacks; null if unknown. */
    private @Nullable Gap gapAfter(Tenure tenure) {
        Tenure after = after(tenure);
        if (after != null) {
            return Gap.between(after.low(), since(after.low(), tenures.indexOf(after)), tenure,
                    after);
        }
        return former.contains(tenure) ? formerGap : null;
    }

    /** What the first tenure after the known ones lacks. */
    private @Nullable Gap firstGap(List<Tenure> reported) {
        for (int i = tenures.size() - 1; i >= 0; i--) {
            int place = reported.lastIndexOf(tenures.get(i));
            if (place >= 0) {
                Tenure next = reported.get(place + 1);
                // If a known tenure is gone, everything written in it is lost.
                long min = i + 1 == tenures.size() ? next.low()
                        : Math.min(next.low(), tenures.get(i + 1).low());
                return Gap.between(min, since(min, tenures.size()), tenures.get(i), next);
            }
        }
        Tenure latest = latest();
        Tenure first = reported.get(0);
        return latest == null ? null : Gap.between(
                first.low(), since(first.low(), tenures.size()), latest, first);
    }

    /** Counts numbers up to a high one as lost; null if they were counted before. */
    private @Nullable SequenceLost lost(Gap gap, long high) {
        long known = gap.equals(countedLast) ? Math.max(gap.low, counted) : gap.low;
        if (high <= known) {
            return null;
        }
        lostCounter.accept(high - known);
        countedLast = gap;
        counted = high;
        return report(gap, high);
    }

    /**
     * When the latest of the first {@code count} tenures that began at or below a number began; 0
     * if none is known.
     */
    private long since(long low, int count) {
        for (int i = count - 1; i >= 0; i--) {
            if (tenures.get(i).low() <= low) {
                return tenures.get(i).begunMs();
            }
        }
        return 0;
    }

    /** A loss within one tenure, or an unknown one: for example, an operator restored data. */
    private SequenceLost newLoss(Gap gap, long current) {
        long high = number;
        number = current;
        unplaced = 0;
        losses++;
        low = gap.low;
        replaceTenures(List.of(), gap);
        // Two losses within a millisecond can have equal gaps; each is counted from its start.
        countedLast = null;
        return Objects.requireNonNull(lost(gap, high));
    }

    /** A call from before the last loss may show that it was larger; null if not. */
    private @Nullable SequenceLost largerLoss(Gap gap) {
        if (gap.low >= low) {
            return null;
        }
        long high = low;
        low = gap.low;
        lostCounter.accept(high - low);
        return report(gap, high);
    }

    private SequenceLost report(Gap gap, long high) {
        return new SequenceLost(partition, gap.low, high, gap.sinceMs, gap.noticedAtMs, gap.exact,
                gap.tenureBegunMs);
    }

    /** Replaces the tenures. If none was known, the former ones stay, as after a new loss. */
    private void replaceTenures(List<Tenure> next, @Nullable Gap gap) {
        if (!tenures.isEmpty()) {
            former = tenures;
            formerGap = gap;
        }
        tenures = next;
    }
}
