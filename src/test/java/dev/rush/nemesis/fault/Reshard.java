package dev.rush.nemesis.fault;

import dev.rush.nemesis.Layout;
import dev.rush.nemesis.Topology;
import dev.rush.testing.Await;
import dev.rush.testing.RedisNode;
import dev.rush.testing.Resp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The slot of a partition moves to another master while it sells, and back. */
final class Reshard extends Fault {
    private static final String KEYS_AT_ONCE = "5";
    private static final String LIMIT_MS = "10000";
    private static final Duration BEGIN = Duration.ofSeconds(30);

    Reshard() {
        super("reshard", Group.REDIS, Effect.MOVES);
    }

    @Override
    public Injury begin(Topology topology, Random random) {
        RedisNode source = Nodes.master(topology, random);
        List<Integer> partitions = Nodes.partitions(source);
        int slot = Layout.slot(partitions.get(random.nextInt(partitions.size())));
        List<RedisNode> others = new ArrayList<>(topology.redis().masters());
        others.remove(source);
        RedisNode target = others.get(random.nextInt(others.size()));
        // A full disk on either side is healed only later in the round.
        move(topology, slot, source, target, BEGIN);
        return new Injury("slot " + slot + " from " + source + " to " + target, partitions,
                () -> { }, () -> move(topology, slot, target, source, Topology.patience()));
    }

    private static void move(Topology topology, int number, RedisNode source, RedisNode target,
            Duration patience) {
        String slot = Integer.toString(number);
        target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id());
        source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id());
        Await.until("slot " + slot + " is empty on " + source, patience,
                () -> moved(slot, source, target));
        for (RedisNode node : List.of(target, source)) {
            node.command("CLUSTER", "SETSLOT", slot, "NODE", target.id());
        }
        topology.redis().awaitAgreement();
    }

    private static boolean moved(String slot, RedisNode source, RedisNode target) {
        try (Resp resp = source.resp()) {
            while (true) {
                List<?> keys = resp.list("CLUSTER", "GETKEYSINSLOT", slot, KEYS_AT_ONCE);
                if (keys.isEmpty()) {
                    return true;
                }
                List<String> words = new ArrayList<>(List.of("MIGRATE", "127.0.0.1",
                        Integer.toString(target.port()), "", "0", LIMIT_MS, "REPLACE", "KEYS"));
                keys.forEach(key -> words.add((String) key));
                resp.command(words.toArray(String[]::new));
            }
        }
    }
}
