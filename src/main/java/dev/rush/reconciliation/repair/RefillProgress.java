package dev.rush.reconciliation.repair;

import dev.rush.redis.Partition;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The progress of restoring a partition in one epoch. */
final class RefillProgress {

    final Partition partition;
    final int epoch;
    boolean hasReportedSteps;
    boolean isHeld;
    /** Whether new orders waited for it when that was last read. */
    boolean defers;
    /** Whether it only waited for the deferral of other partitions in the last round. */
    boolean waitsForOthers;
    long held;
    long orders;
    long grabs;
    long reported;
    long ended;
    /**
     * The ledger's time, as text, when steps were last added while orders were still postponed;
     * null before, and if orders were possibly postponed without a try since.
     */
    @Nullable String stepsAt;
    /** Set once the partition's orders and grabs are in the stream again in this round. */
    @Nullable Requeued requeued;
    /** The evidence from which the partition was refilled; null before. */
    @Nullable Evidence refilled;

    RefillProgress(Partition partition, int epoch) {
        this.partition = partition;
        this.epoch = epoch;
    }

    /**
     * The state of a partition whose orders and grabs are in the stream again.
     *
     * @param evidence read before they were
     * @param reported number of steps of it that were added then
     * @param sales    months of its loaded sales
     * @param last     the last entry of its stream then
     */
    record Requeued(Evidence evidence, long reported, Map<String, Integer> sales, String last) {
    }

    int index() {
        return partition.index();
    }

    /** What was restored, as the audit and the log name it. */
    Map<String, Object> summary(List<String> unknown) {
        return Map.of("partition", partition.index(), "orders", orders, "grabs", grabs,
                "ended", ended, "reported", reported, "held", held, "unknown", unknown);
    }
}
