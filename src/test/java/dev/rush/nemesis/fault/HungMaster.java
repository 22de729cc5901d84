package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.RedisNode;
import java.util.List;
import java.util.Random;

/** A master is paused (SIGSTOP) until its replica has taken over, and then resumed. */
final class HungMaster extends Fault {

    HungMaster() {
        super("hung-master", Group.REDIS, Effect.LOSES_WRITES);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        RedisNode master = Nodes.master(topology, random);
        List<Integer> partitions = Nodes.partitions(master);
        Nodes.letReplicaCatchUp(master);
        master.server().pause();
        return new Injection(master.toString(), partitions, () -> {
            Nodes.awaitFailover(topology, master, partitions);
            Nodes.heal(topology);
        });
    }
}
