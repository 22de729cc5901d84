package dev.rush.nemesis.checker;

import dev.rush.nemesis.fault.Fault.Effect;
import dev.rush.nemesis.fault.Injected;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** The faults of a run, as far as they weaken what is promised. */
public record FaultLog(List<Injected> injected) {

    /** Returns whether Redis may have lost something of one of the partitions in that time. */
    public boolean mayHaveLost(Collection<Integer> partitions, long from, long to) {
        return injected.stream().anyMatch(fault -> (fault.effects().contains(Effect.LOSES)
                || fault.effects().contains(Effect.EMPTIES))
                && fault.from() <= to && fault.to() >= from
                && partitions.stream().anyMatch(fault.partitions()::contains));
    }

    /** Returns whether a fault of an effect was on in that time. */
    public boolean had(Effect effect, long from, long to) {
        return injected.stream().anyMatch(fault -> fault.effects().contains(effect)
                && fault.from() <= to && fault.to() >= from);
    }

    /** Returns whether PostgreSQL may have lost commits of a time or of later. */
    public boolean lostCommits(long since) {
        return promotions(since).findAny().isPresent();
    }

    /** Returns the failovers of PostgreSQL that may have lost commits of a time or of later. */
    public Stream<Injected> promotions(long since) {
        return injected.stream().filter(fault -> fault.name().equals("promoted-standby")
                && fault.to() >= since);
    }

    /** Returns whether any fault was on in that time. */
    public boolean anyIn(long from, long to) {
        return injected.stream().anyMatch(fault -> fault.from() <= to && fault.to() >= from);
    }

    /** Returns whether there was no fault at all. */
    public boolean none() {
        return injected.isEmpty();
    }
}
