package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.RedisNode;
import java.util.List;
import java.util.Random;

/** A master sleeps, too briefly to cause a failover. */
final class SleepingMaster extends Fault {
    private static final int SLEEP_MS = 900;

    SleepingMaster() {
        super("sleeping-master", Group.CALLS);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        RedisNode master = Nodes.master(topology, random);
        int sleep = 100 + random.nextInt(SLEEP_MS);
        master.command("DEBUG", "SLEEP", Double.toString(sleep / 1000.0));
        return new Injection(master + " " + sleep + " ms", List.of(), () -> { });
    }
}
