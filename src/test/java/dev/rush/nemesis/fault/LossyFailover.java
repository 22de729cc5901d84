package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.Await;
import dev.rush.testing.RedisNode;
import java.util.List;
import java.util.Random;

/** A replica is cut off while its master goes on selling; then the master dies. */
final class LossyFailover extends Fault {
    private static final int LAG_MS = 1_200;

    LossyFailover() {
        super("lossy-failover", Group.REDIS, Effect.LOSES_WRITES);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        RedisNode master = Nodes.master(topology, random);
        List<Integer> partitions = Nodes.partitions(master);
        RedisNode replica = Nodes.replica(topology, master);
        replica.server().pause();
        master.command("CLIENT", "KILL", "TYPE", "REPLICA");
        Await.sleep(random.nextInt(LAG_MS));
        master.server().kill();
        replica.server().resume();
        return new Injection(master.toString(), partitions, () -> {
            Nodes.awaitFailover(topology, master, partitions);
            Nodes.heal(topology);
        });
    }
}
