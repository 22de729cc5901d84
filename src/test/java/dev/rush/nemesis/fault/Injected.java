package dev.rush.nemesis.fault;

import dev.rush.nemesis.fault.Fault.Effect;
import java.util.Set;

/**
 * A fault as it was in a run.
 *
 * @param partitions whose Redis it hit
 * @param from when it began, ns since the run began
 * @param to when it was healed
 */
public record Injected(String name, Set<Effect> effects, Set<Integer> partitions, long from,
        long to) {
}
