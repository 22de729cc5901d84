package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.Pod;
import java.util.Random;
import java.util.function.Consumer;

/** Kills (SIGKILL) or terminates (SIGTERM) a pod, and starts another in its place. */
final class StoppedPod extends Fault {
    private final Consumer<Pod> stop;

    StoppedPod(String name, Consumer<Pod> stop) {
        super(name, Group.POD);
        this.stop = stop;
    }

    @Override
    public boolean canBeInjected(Topology topology) {
        return topology.podsReady();
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        int pod = random.nextInt(topology.podCount());
        String target = topology.pod(pod).toString();
        return new Injection(target, Nodes.allPartitions(), () -> {
            if (topology.pod(pod).alive()) {
                topology.pod(pod).kill();
            }
            topology.replacePod(pod);
        }).by(() -> stop.accept(topology.pod(pod)));
    }
}
