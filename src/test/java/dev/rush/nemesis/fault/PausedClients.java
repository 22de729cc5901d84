package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.Await;
import dev.rush.testing.RedisNode;
import java.util.List;
import java.util.Random;

/** A master suspends the commands, or only the writes, of all its clients. */
final class PausedClients extends Fault {
    private static final int PAUSE_MS = 2_500;

    PausedClients() {
        super("paused-clients", Group.CALLS);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        RedisNode master = Nodes.master(topology, random);
        String kind = random.nextBoolean() ? "ALL" : "WRITE";
        int pause = 200 + random.nextInt(PAUSE_MS);
        master.command("CLIENT", "PAUSE", Integer.toString(pause), kind);
        return new Injection(master + " " + kind + " " + pause + " ms", List.of(),
                () -> Await.sleep(pause));
    }
}
