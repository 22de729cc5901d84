package dev.rush.nemesis.fault;

import dev.rush.nemesis.Disks;
import dev.rush.nemesis.Topology;
import java.util.List;
import java.util.Random;

/** The disk of a master is full, so it refuses writes. */
final class FullDisk extends Fault {

    FullDisk() {
        super("full-disk", Group.CALLS, Effect.STOPS_NODES);
    }

    @Override
    public String unavailableReason() {
        return Disks.available() ? Nodes.aofRepairUnavailableReason()
                : "only root can mount a small disk";
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        String disk = topology.diskOf(Nodes.master(topology, random));
        topology.disks().fill(disk);
        return new Injection(disk, List.of(), () -> topology.disks().removeBallast(disk));
    }
}
