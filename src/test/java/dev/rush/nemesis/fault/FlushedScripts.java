package dev.rush.nemesis.fault;

import dev.rush.nemesis.Topology;
import dev.rush.testing.Await;
import dev.rush.testing.RedisNode;
import java.util.List;
import java.util.Random;

/** All nodes lose their cached scripts, several times. */
final class FlushedScripts extends Fault {
    private static final int TIMES = 5;

    FlushedScripts() {
        super("flushed-scripts", Group.CALLS);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        for (int i = 0; i < TIMES; i++) {
            for (RedisNode node : topology.redis().answering()) {
                node.command("SCRIPT", "FLUSH");
            }
            Await.sleep(random.nextInt(200));
        }
        return new Injection("all nodes", List.of(), () -> { });
    }
}
