package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import java.util.Random;

/** A pod is told to end (SIGTERM), and another takes its place. */
final class TerminatedPod extends Fault {

    TerminatedPod() {
        super("terminated-pod", Group.POD);
    }

    @Override
    public boolean possible(Topology topology) {
        return topology.podsReady();
    }

    @Override
    public Injury begin(Topology topology, Random random) {
        int pod = random.nextInt(topology.podCount());
        String what = topology.pod(pod).toString();
        topology.pod(pod).terminate();
        return new Injury(what, Nodes.allPartitions(), () -> topology.replacePod(pod));
    }
}
