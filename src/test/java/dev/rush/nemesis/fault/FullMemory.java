package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import java.util.List;
import java.util.Random;

/** All nodes are at their memory limit. */
final class FullMemory extends Fault {

    FullMemory() {
        super("full-memory", Group.CALLS);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        // A slot can move only to a node with memory. Nodes that do not answer follow in cleanup.
        return new Injection("all nodes", List.of(), () -> limit(topology, "0"),
                () -> limit(topology, "0")).by(() -> limit(topology, "1000000"));
    }

    private static void limit(Topology topology, String bytes) {
        topology.redis().onEveryNode("CONFIG", "SET", "maxmemory", bytes);
    }
}
