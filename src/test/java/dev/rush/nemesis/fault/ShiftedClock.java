package dev.rush.nemesis.fault;

import dev.rush.nemesis.Shim;
import dev.rush.nemesis.Topology;
import dev.rush.testing.Await;
import dev.rush.testing.RedisNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The clock of one node or of all is an hour off, or jumps back and forth. */
final class ShiftedClock extends Fault {
    private static final int JUMPS = 4;

    ShiftedClock() {
        super("shifted-clock", Group.CLOCK, Effect.SHIFTS_CLOCK);
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
        if (random.nextBoolean()) {
            shift(topology, nodes, seconds);
        } else {
            for (int i = 0; i < JUMPS; i++) {
                shift(topology, nodes, random.nextInt(20) - 10);
                Await.sleep(random.nextInt(400));
            }
        }
        return new Injury(nodes.size() + " nodes by " + seconds + " s", Nodes.allPartitions(),
                () -> shift(topology, nodes, 0));
    }

    private static void shift(Topology topology, List<RedisNode> nodes, long seconds) {
        nodes.forEach(node -> topology.shimOf(node).shiftClock(Duration.ofSeconds(seconds)));
    }
}
