package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.RedisNode;
import java.util.List;
import java.util.Random;

/** A replica is killed or paused; its master goes on selling without it. */
final class LostReplica extends Fault {

    LostReplica() {
        super("lost-replica", Group.REDIS);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        RedisNode replica = Nodes.replica(topology, Nodes.master(topology, random));
        if (random.nextBoolean()) {
            replica.server().kill();
        } else {
            replica.server().pause();
        }
        return new Injection(replica.toString(), List.of(), () -> Nodes.heal(topology));
    }
}
