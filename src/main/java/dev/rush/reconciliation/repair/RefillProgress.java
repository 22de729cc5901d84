package dev.rush.reconciliation.repair;

import dev.rush.redis.Partition;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The progress of restoring a partition in one epoch. */
final class RefillProgress {

    boolean hasSteps;
    boolean isHeld;
    long held;
    long orders;
    long grabs;
    long reported;
    long ended;
    /** The ledger's time when it had all steps from Redis; null before. */
    @Nullable String stepsAt;
    /** What was put into the stream again, and awaits the ledger; null if nothing does. */
    @Nullable Requeued requeued;

    /**
     * The state of a partition whose orders and grabs are in the stream again.
     *
     * @param evidence from before
     * @param sales    months of its loaded sales
     * @param last     id of the stream that none of their entries exceeds
     */
    record Requeued(Evidence evidence, Map<String, Integer> sales, String last) {
    }

    /** What was restored, as the audit and the log name it. */
    Map<String, Object> found(Partition partition, List<String> unknown) {
        return Map.of("partition", partition.index(), "orders", orders, "grabs", grabs,
                "ended", ended, "reported", reported, "held", held, "unknown", unknown);
    }
}
