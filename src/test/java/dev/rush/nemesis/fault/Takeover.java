package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.RedisNode;
import java.util.List;
import java.util.Random;

/** A replica takes over without a vote, while its master goes on selling. */
final class Takeover extends Fault {

    Takeover() {
        super("takeover", Group.REDIS, Effect.LOSES_WRITES);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        RedisNode master = Nodes.master(topology, random);
        List<Integer> partitions = Nodes.partitions(master);
        Nodes.replica(topology, master).command("CLUSTER", "FAILOVER", "TAKEOVER");
        return new Injection(master.toString(), partitions, () -> {
            Nodes.awaitFailover(topology, master, partitions);
            Nodes.heal(topology);
        });
    }
}
