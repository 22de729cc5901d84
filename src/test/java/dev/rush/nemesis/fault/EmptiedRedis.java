package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import java.util.Random;

/** Redis loses all keys; an operator then rebuilds the sales from the ledger. */
final class EmptiedRedis extends Fault {

    EmptiedRedis() {
        super("emptied-redis", Group.REDIS, Effect.EMPTIES_REDIS);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        topology.redis().onEveryMaster("FLUSHALL");
        return new Injection("all masters", Nodes.allPartitions(), () -> { });
    }
}
