package dev.rush.nemesis.fault;

import dev.rush.nemesis.fault.Fault.Effect;
import dev.rush.testing.Pod;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** All faults that there are. */
public final class Faults {
    /** The word for all faults that can lose nothing. */
    private static final String LOSSLESS = "lossless";

    private Faults() {
    }

    private static List<Fault> every() {
        return List.of(new KilledMaster(), new PlannedFailover(), new HungMaster(), new Takeover(),
                new LossyFailover(), new LostReplica(), new TornTail(), new Restart(),
                new FlushedScripts(), new PausedClients(), new SleepingMaster(),
                new RunawayScript(), new CutReplies(), new FullMemory(), new PausedPod(),
                new EndedPod("killed-pod", Pod::kill),
                new EndedPod("terminated-pod", Pod::terminate), new FrozenLedger(),
                new KilledLedger(), new LockedLedger(), new CrowdedLedger(), new EmptiedRedis(),
                new Reshard(), new ShiftedClock(), new BrokenDisk(), new BrokenLedgerDisk(),
                new FullDisk(), new FullLedgerDisk(), new CutOffMaster(), new PromotedStandby());
    }

    /**
     * Returns the faults of a choice that this machine can do, and says which it cannot.
     *
     * @param choice {@code all}, {@code none}, {@code lossless}, or names with commas between; a
     *     name after a minus is left out of all
     */
    public static List<Fault> of(String choice) {
        List<String> words = Arrays.asList(choice.split(","));
        List<Fault> chosen = new ArrayList<>();
        for (Fault fault : every()) {
            boolean wanted = words.contains(fault.name())
                    || words.contains(LOSSLESS) && losesNothing(fault.effects())
                    || (words.contains("all") || words.stream().allMatch(w -> w.startsWith("-")))
                    && !words.contains("-" + fault.name());
            if (wanted && fault.unavailable() != null) {
                System.out.println("skipped: " + fault + ": " + fault.unavailable());
            } else if (wanted) {
                chosen.add(fault);
            }
        }
        return chosen;
    }

    /** Returns whether one of them wants a follower of the ledger. */
    public static boolean wantStandby(List<Fault> faults) {
        return faults.stream().anyMatch(PromotedStandby.class::isInstance);
    }

    private static boolean losesNothing(Set<Effect> effects) {
        return !effects.contains(Effect.LOSES) && !effects.contains(Effect.EMPTIES);
    }
}
