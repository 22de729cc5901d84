package dev.rush.nemesis.checker;

import dev.rush.nemesis.fault.Fault.Effect;
import dev.rush.nemesis.fault.InjectedFault;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** The faults of a run. Times are in ns since the run began. */
public record FaultLog(List<InjectedFault> injected) {

    /** Returns whether Redis may have lost writes of any of the partitions between two instants. */
    public boolean mayHaveLost(Collection<Integer> partitions, long from, long to) {
        return injected.stream().anyMatch(fault -> (fault.effects().contains(Effect.LOSES_WRITES)
                || fault.effects().contains(Effect.EMPTIES_REDIS))
                && fault.from() <= to && fault.to() >= from
                && partitions.stream().anyMatch(fault.partitions()::contains));
    }

    /** Returns whether a fault with an effect was active between two instants. */
    public boolean anyWith(Effect effect, long from, long to) {
        return injected.stream().anyMatch(fault -> fault.effects().contains(effect)
                && fault.from() <= to && fault.to() >= from);
    }

    /** Returns whether PostgreSQL may have lost commits made at or after an instant. */
    public boolean mayHaveLostCommits(long since) {
        return promotions(since).findAny().isPresent();
    }

    /** Returns the failovers of PostgreSQL that may have lost commits made at or after then. */
    public Stream<InjectedFault> promotions(long since) {
        return injected.stream().filter(fault -> fault.effects().contains(Effect.LOSES_COMMITS)
                && fault.to() >= since);
    }

    /** Returns whether any fault was active between two instants. */
    public boolean any(long from, long to) {
        return injected.stream().anyMatch(fault -> fault.from() <= to && fault.to() >= from);
    }

    /** Returns whether any other fault was active between two instants. */
    public boolean anyBeside(InjectedFault one, long from, long to) {
        return new FaultLog(injected.stream().filter(fault -> fault != one).toList())
                .any(from, to);
    }

    /** Returns whether no fault was injected. */
    public boolean none() {
        return injected.isEmpty();
    }
}
