package dev.rush.nemesis.fault;

import dev.rush.nemesis.fault.Fault.Effect;
import java.util.Set;

/**
 * A fault that was injected and healed in a run.
 *
 * @param partitions the partitions whose writes or clock may be affected
 * @param from when it was injected, ns since the run began
 * @param to when it was healed, ns since the run began
 */
public record InjectedFault(String name, Set<Effect> effects, Set<Integer> partitions, long from,
        long to) {
}
