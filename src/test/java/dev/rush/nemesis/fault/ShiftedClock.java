package dev.rush.nemesis.fault;

import dev.rush.nemesis.Shim;
import dev.rush.nemesis.Topology;
import dev.rush.testing.Await;
import dev.rush.testing.RedisNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The clock of some or all nodes is an hour off, or jumps by up to ten seconds. Redis uses this
 * clock to record pings, failures and votes. After a step back by an hour, it neither detects nor
 * clears a failure, nor votes, for an hour unless it is restarted. So no other fault of the Redis
 * group runs meanwhile, and nodes that were an hour ahead are restarted.
 */
final class ShiftedClock extends Fault {
    private static final int JUMPS = 4;

    ShiftedClock() {
        super("shifted-clock", Group.REDIS, Effect.SHIFTS_CLOCK);
    }

    @Override
    public String unavailableReason() {
        return Shim.available() ? null : "no C compiler (Debian: g++)";
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        List<RedisNode> nodes = new ArrayList<>(topology.redis().nodes());
        if (random.nextBoolean()) {
            nodes.removeIf(node -> random.nextBoolean());
        }
        long seconds = random.nextBoolean() ? 3_600 : -3_600;
        boolean steady = random.nextBoolean();
        return new Injection(nodes.size() + " nodes "
                + (steady ? "by " + seconds + " s" : "jumping"), Nodes.allPartitions(),
                () -> {
            shift(topology, nodes, 0);
            if (steady && seconds > 0) {
                restart(topology, nodes);
            }
        }).by(() -> {
            for (int i = 0; i < (steady ? 1 : JUMPS); i++) {
                shift(topology, nodes, steady ? seconds : random.nextInt(20) - 10);
                Await.sleep(steady ? 0 : random.nextInt(400));
            }
        });
    }

    private static void restart(Topology topology, List<RedisNode> nodes) {
        for (RedisNode node : nodes) {
            node.server().kill();
            Nodes.restart(node);
        }
        Nodes.heal(topology);
    }

    private static void shift(Topology topology, List<RedisNode> nodes, long seconds) {
        nodes.forEach(node -> topology.shimOf(node).shiftClock(Duration.ofSeconds(seconds)));
    }
}
