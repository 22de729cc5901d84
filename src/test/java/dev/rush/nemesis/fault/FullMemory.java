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
        topology.redis().onEveryNode("CONFIG", "SET", "maxmemory", "1000000");
        return new Injury("all nodes", List.of(), () -> { }, () -> topology.redis().onEveryNode(
                "CONFIG", "SET", "maxmemory", "0"));
    }
}
