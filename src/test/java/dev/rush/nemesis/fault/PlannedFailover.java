package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.RedisNode;
import java.util.List;
import java.util.Random;

/** A replica takes over in coordination with its master, so nothing is lost. */
final class PlannedFailover extends Fault {

    PlannedFailover() {
        super("planned-failover", Group.REDIS, Effect.MOVES_SLOTS);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        RedisNode master = Nodes.master(topology, random);
        List<Integer> partitions = Nodes.partitions(master);
        Nodes.replica(topology, master).command("CLUSTER", "FAILOVER");
        return new Injection(master.toString(), partitions, () -> {
            Nodes.awaitFailover(topology, master, partitions);
            Nodes.heal(topology);
        });
    }
}
