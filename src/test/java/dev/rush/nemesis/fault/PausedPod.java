package dev.rush.nemesis.fault;

import dev.rush.nemesis.Disks;
import dev.rush.nemesis.Topology;
import dev.rush.testing.Pod;
import java.util.List;
import java.util.Random;

/** A pod is paused (SIGSTOP) and resumed. */
final class PausedPod extends Fault {

    PausedPod() {
        super("paused-pod", Group.POD);
    }

    @Override
    public boolean canBeInjected(Topology topology) {
        return topology.podsReady();
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        Pod pod = topology.pod(random.nextInt(topology.podCount()));
        Disks.run("kill", "-s", "STOP", Long.toString(pod.pid()));
        return new Injection(pod.toString(), List.of(),
                () -> Disks.run("kill", "-s", "CONT", Long.toString(pod.pid())));
    }
}
