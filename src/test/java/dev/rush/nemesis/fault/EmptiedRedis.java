package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import java.util.Random;

/** Redis loses all keys; an operator then has the sales rebuilt from the ledger. */
final class EmptiedRedis extends Fault {

    EmptiedRedis() {
        super("emptied-redis", Group.REDIS, Effect.EMPTIES);
    }

    @Override
    public Injury begin(Topology topology, Random random) {
        topology.redis().onEveryMaster("FLUSHALL");
        return new Injury("all masters", Nodes.allPartitions(), () -> { });
    }
}
