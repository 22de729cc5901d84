package dev.rush.nemesis.fault;

import dev.rush.nemesis.Disks;
import dev.rush.nemesis.Topology;
import java.util.List;
import java.util.Random;

/** No room is left on the disk of a node, so it refuses writes. */
final class FullDisk extends Fault {

    FullDisk() {
        super("full-disk", Group.CALLS, Effect.ENDS);
    }

    @Override
    public String unavailable() {
        return Disks.available() ? Nodes.unrepairable() : "only root can mount a disk of its own";
    }

    @Override
    public Injury begin(Topology topology, Random random) {
        String disk = topology.diskOf(Nodes.master(topology, random));
        topology.disks().fill(disk);
        return new Injury(disk, List.of(), () -> topology.disks().empty(disk));
    }
}
