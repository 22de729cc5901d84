package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Something that goes wrong for a while. */
public abstract class Fault {
    private final String name;
    private final Group group;
    private final Set<Effect> effects;

    /** Faults of one group never happen at the same time. */
    public enum Group { REDIS, CALLS, LEDGER, POD }

    /** What a fault may do that weakens a promise, by docs/guarantees.md. */
    public enum Effect {
        /** Redis may lose writes that it has acknowledged. */
        LOSES,
        /** Redis loses all that it has of some partitions. */
        EMPTIES,
        /** Redis's clock is not that of the clients. */
        SHIFTS_CLOCK,
        /** A node may end itself, as Redis does when it cannot write its cluster's file. */
        ENDS,
        /** Slots change hands in agreement, so nothing is lost. */
        MOVES
    }

    /**
     * A fault that has begun.
     *
     * @param what it hit, for the log
     * @param partitions whose Redis it hit
     * @param healing undoes what can be undone while other faults are on
     * @param cleanup undoes the rest once every node answers again
     */
    public record Injury(
            String what, List<Integer> partitions, Healing healing, Healing cleanup) {

        Injury(String what, List<Integer> partitions, Healing healing) {
            this(what, partitions, healing, () -> { });
        }

        /** A fault that failed while it began; some of it may have taken effect. */
        public static Injury halfBegun(Topology topology) {
            return new Injury("half begun", Nodes.allPartitions(), () -> Nodes.heal(topology));
        }
    }

    /** What ends a fault; it returns when the fault is over. */
    @FunctionalInterface
    public interface Healing {
        void heal() throws Exception;
    }

    Fault(String name, Group group, Effect... effects) {
        this.name = name;
        this.group = group;
        this.effects = EnumSet.noneOf(Effect.class);
        this.effects.addAll(List.of(effects));
    }

    /** Returns its name in logs, reports and {@code -Dnemesis.faults}. */
    public final String name() {
        return name;
    }

    /** Returns the group. */
    public final Group group() {
        return group;
    }

    /** Returns what it may do. */
    public final Set<Effect> effects() {
        return effects;
    }

    /** Returns why this machine cannot do it; null: it can. */
    public String unavailable() {
        return null;
    }

    /** Returns whether it can begin now, or something is still on its way back. */
    public boolean possible(Topology topology) {
        return true;
    }

    /** Breaks something and returns what heals it. */
    public abstract Injury begin(Topology topology, Random random) throws Exception;

    @Override
    public final String toString() {
        return name;
    }
}
