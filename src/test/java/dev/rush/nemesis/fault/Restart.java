package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.RedisNode;
import java.util.List;
import java.util.Random;

/** A master is killed and starts again at once from its append-only file. */
final class Restart extends Fault {

    Restart() {
        super("restart", Group.REDIS, Effect.LOSES);
    }

    @Override
    public Injury begin(Topology topology, Random random) {
        RedisNode master = Nodes.master(topology, random);
        List<Integer> partitions = Nodes.partitions(master);
        master.server().kill();
        master.server().restart();
        return new Injury(master.toString(), partitions, () -> Nodes.heal(topology));
    }
}
