package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.RedisNode;
import java.util.List;
import java.util.Random;

/** A master is killed (SIGKILL) once its replica is in sync, and comes back as a replica. */
final class KilledMaster extends Fault {

    KilledMaster() {
        super("killed-master", Group.REDIS, Effect.LOSES_WRITES);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        RedisNode master = Nodes.master(topology, random);
        List<Integer> partitions = Nodes.partitions(master);
        Nodes.letReplicaCatchUp(master);
        master.server().kill();
        return new Injection(master.toString(), partitions, () -> {
            Nodes.awaitFailover(topology, master, partitions);
            Nodes.heal(topology);
        });
    }
}
