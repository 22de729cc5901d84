package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** A fault that can be injected into the topology and healed again. */
public abstract class Fault {
    private final String name;
    private final Group group;
    private final Set<Effect> effects;

    /** Faults of one group are never in effect at the same time. */
    public enum Group { REDIS, CALLS, LEDGER, POD }

    /** An effect of a fault that weakens a promise of docs/guarantees.md. */
    public enum Effect {
        /** Redis may lose acknowledged writes. */
        LOSES_WRITES,
        /** Redis loses all keys of some partitions. */
        EMPTIES_REDIS,
        /** PostgreSQL may lose commits that were reported to clients. */
        LOSES_COMMITS,
        /** Redis's clock differs from the clients'. */
        SHIFTS_CLOCK,
        /** A node may exit, as Redis does when it cannot write its cluster configuration. */
        STOPS_NODES,
        /** Slots move in coordination, so nothing is lost. */
        MOVES_SLOTS
    }

    /**
     * A fault that was injected and not yet healed.
     *
     * @param target the affected server, for the log
     * @param partitions the partitions whose writes or clock may be affected
     * @param healing undoes all that can be undone while other faults are in effect
     * @param cleanup undoes the rest once every node answers again
     */
    public record Injection(
            String target, List<Integer> partitions, Healing healing, Healing cleanup) {

        Injection(String target, List<Integer> partitions, Healing healing) {
            this(target, partitions, healing, () -> { });
        }

        /**
         * Takes the steps of this injection. If one fails, the fault may be partly in effect and
         * is healed like any other, so its healing must not rely on all steps.
         */
        Injection by(Steps steps) {
            try {
                steps.take();
                return this;
            } catch (Exception | AssertionError e) {
                return new Injection(target + ", in part: " + e, partitions, healing, cleanup);
            }
        }

        /** Creates the injection of a fault that failed, and may have affected some nodes. */
        public static Injection failed(Topology topology, Throwable cause) {
            return new Injection("in part: " + cause, Nodes.allPartitions(),
                    () -> Nodes.heal(topology));
        }
    }

    /** The steps of an injection. */
    @FunctionalInterface
    interface Steps {
        void take() throws Exception;
    }

    /** Heals a fault, and returns once it is healed. */
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

    /** Returns the name in logs, reports and {@code -Dnemesis.faults}. */
    public final String name() {
        return name;
    }

    /** Returns the group. */
    public final Group group() {
        return group;
    }

    /** Returns the effects that it may have. */
    public final Set<Effect> effects() {
        return effects;
    }

    /** Returns why this machine cannot inject it; null if it can. */
    public String unavailableReason() {
        return null;
    }

    /** Returns whether it can be injected now; false while its target still recovers. */
    public boolean canBeInjected(Topology topology) {
        return true;
    }

    /**
     * Injects the fault and returns how to heal it. If this fails, only nodes are healed, so steps
     * with other effects are taken {@link Injection#by}.
     */
    public abstract Injection inject(Topology topology, Random random) throws Exception;

    @Override
    public final String toString() {
        return name;
    }
}
