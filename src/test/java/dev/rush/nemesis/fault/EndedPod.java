package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.Pod;
import java.util.Random;
import java.util.function.Consumer;

/** A pod is killed (SIGKILL) or told to end (SIGTERM), and another takes its place. */
final class EndedPod extends Fault {
    private final Consumer<Pod> ending;

    EndedPod(String name, Consumer<Pod> ending) {
        super(name, Group.POD);
        this.ending = ending;
    }

    @Override
    public boolean possible(Topology topology) {
        return topology.podsReady();
    }

    @Override
    public Injury begin(Topology topology, Random random) {
        int pod = random.nextInt(topology.podCount());
        String what = topology.pod(pod).toString();
        ending.accept(topology.pod(pod));
        return new Injury(what, Nodes.allPartitions(), () -> topology.replacePod(pod));
    }
}
