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
 * The clock of some nodes or of all is an hour off, or jumps back and forth. Redis remembers by it
 * when a node failed, was pinged and had a vote; where the clock went back by an hour, it takes no
 * node for failed, forgives none and votes for none before that hour is over, unless an operator
 * restarts it. So no master fails meanwhile, and nodes that were ahead are restarted.
 */
final class ShiftedClock extends Fault {
    private static final int JUMPS = 4;

    ShiftedClock() {
        super("shifted-clock", Group.REDIS, Effect.SHIFTS_CLOCK);
    }

    @Override
    public String unavailable() {
        return Shim.available() ? null : "no C compiler (Debian: g++)";
    }

    @Override
    public Injury begin(Topology topology, Random random) {
        List<RedisNode> nodes = new ArrayList<>(topology.redis().nodes());
        if (random.nextBoolean()) {
            nodes.removeIf(node -> random.nextBoolean());
        }
        long seconds = random.nextBoolean() ? 3_600 : -3_600;
        boolean steady = random.nextBoolean();
        if (steady) {
            shift(topology, nodes, seconds);
        } else {
            for (int i = 0; i < JUMPS; i++) {
                shift(topology, nodes, random.nextInt(20) - 10);
                Await.sleep(random.nextInt(400));
            }
        }
        return new Injury(nodes.size() + " nodes by " + seconds + " s", Nodes.allPartitions(),
                () -> {
            shift(topology, nodes, 0);
            if (steady && seconds > 0) {
                restart(topology, nodes);
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
