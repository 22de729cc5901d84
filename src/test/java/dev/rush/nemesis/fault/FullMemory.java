package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import java.util.List;
import java.util.Random;

/** All masters are at their memory limit. */
final class FullMemory extends Fault {

    FullMemory() {
        super("full-memory", Group.CALLS);
    }

    @Override
    public Injury begin(Topology topology, Random random) {
        limit(topology, "1000000");
        // A slot can move to a node that has memory; one that is away until then is freed later.
        return new Injury("all nodes", List.of(), () -> limit(topology, "0"),
                () -> limit(topology, "0"));
    }

    private static void limit(Topology topology, String bytes) {
        topology.redis().onEveryNode("CONFIG", "SET", "maxmemory", bytes);
    }
}
