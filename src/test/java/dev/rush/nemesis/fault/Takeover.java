package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.RedisNode;
import java.util.List;
import java.util.Random;

/** A replica takes over without asking anyone, while its master goes on selling. */
final class Takeover extends Fault {

    Takeover() {
        super("takeover", Group.REDIS, Effect.LOSES);
    }

    @Override
    public Injury begin(Topology topology, Random random) {
        RedisNode master = Nodes.master(topology, random);
        List<Integer> partitions = Nodes.partitions(master);
        Nodes.replica(topology, master).command("CLUSTER", "FAILOVER", "TAKEOVER");
        return new Injury(master.toString(), partitions, () -> {
            Nodes.awaitFailover(topology, master, partitions);
            Nodes.heal(topology);
        });
    }
}
