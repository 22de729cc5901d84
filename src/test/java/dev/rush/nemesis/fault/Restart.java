package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.RedisNode;
import java.util.List;
import java.util.Random;

/** A master is killed and restarts at once from its append-only file. */
final class Restart extends Fault {

    Restart() {
        super("restart", Group.REDIS, Effect.LOSES_WRITES);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        RedisNode master = Nodes.master(topology, random);
        List<Integer> partitions = Nodes.partitions(master);
        master.server().kill();
        master.server().restart();
        return new Injection(master.toString(), partitions, () -> Nodes.heal(topology));
    }
}
