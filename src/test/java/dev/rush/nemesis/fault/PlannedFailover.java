package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.RedisNode;
import java.util.List;
import java.util.Random;

/** A replica takes over in agreement with its master, which loses nothing. */
final class PlannedFailover extends Fault {

    PlannedFailover() {
        super("planned-failover", Group.REDIS, Effect.MOVES);
    }

    @Override
    public Injury begin(Topology topology, Random random) {
        RedisNode master = Nodes.master(topology, random);
        List<Integer> partitions = Nodes.partitions(master);
        Nodes.replica(topology, master).command("CLUSTER", "FAILOVER");
        return new Injury(master.toString(), partitions, () -> {
            Nodes.awaitFailover(topology, master, partitions);
            Nodes.heal(topology);
        });
    }
}
