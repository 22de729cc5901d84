package dev.rush.nemesis.fault;

import dev.rush.nemesis.fault.Fault.Effect;
import dev.rush.testing.Pod;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** All faults, and the choice of them for a run. */
public final class Faults {
    /** Chooses all faults with which neither Redis nor PostgreSQL loses anything. */
    private static final String LOSSLESS = "lossless";
    private static final Set<Effect> LOSSES = EnumSet.of(
            Effect.LOSES_WRITES, Effect.EMPTIES_REDIS, Effect.LOSES_COMMITS);

    private Faults() {
    }

    private static List<Fault> all() {
        return List.of(new KilledMaster(), new PlannedFailover(), new HungMaster(), new Takeover(),
                new LossyFailover(), new LostReplica(), new TornTail(), new Restart(),
                new FlushedScripts(), new PausedClients(), new SleepingMaster(),
                new RunawayScript(), new CutReplies(), new FullMemory(), new PausedPod(),
                new StoppedPod("killed-pod", Pod::kill),
                new StoppedPod("terminated-pod", Pod::terminate), new FrozenLedger(),
                new KilledLedger(), new LockedLedger(), new CrowdedLedger(), new EmptiedRedis(),
                new Reshard(), new ShiftedClock(), new BrokenDisk(), new BrokenLedgerDisk(),
                new FullDisk(), new FullLedgerDisk(), new CutOffMaster(), new PromotedStandby());
    }

    /**
     * Returns the chosen faults that this machine can inject, and prints which it cannot.
     *
     * @param choice {@code all}, {@code none}, {@code lossless}, or comma-separated names;
     *     {@code -} before a name means all but that one
     */
    public static List<Fault> of(String choice) {
        List<String> words = Arrays.asList(choice.split(","));
        List<Fault> chosen = new ArrayList<>();
        for (Fault fault : all()) {
            boolean wanted = words.contains(fault.name())
                    || words.contains(LOSSLESS) && losesNothing(fault.effects())
                    || (words.contains("all") || words.stream().allMatch(w -> w.startsWith("-")))
                    && !words.contains("-" + fault.name());
            if (wanted && fault.unavailableReason() != null) {
                System.out.println("skipped: " + fault + ": " + fault.unavailableReason());
            } else if (wanted) {
                chosen.add(fault);
            }
        }
        return chosen;
    }

    /** Returns whether one of the faults needs a standby of the ledger. */
    public static boolean needStandby(List<Fault> faults) {
        return faults.stream().anyMatch(PromotedStandby.class::isInstance);
    }

    private static boolean losesNothing(Set<Effect> effects) {
        return Collections.disjoint(effects, LOSSES);
    }
}
