package dev.rush.nemesis.fault;

import dev.rush.nemesis.Layout;
import dev.rush.nemesis.Topology;
import dev.rush.testing.Await;
import dev.rush.testing.RedisClusterNodes;
import dev.rush.testing.RedisNode;
import dev.rush.testing.Resp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The slot of a partition moves to another master and back, while its sales go on. */
final class Reshard extends Fault {
    private static final String KEYS_PER_MIGRATE = "5";
    private static final String MIGRATE_TIMEOUT_MS = "10000";
    private static final Duration BEGIN_LIMIT = Duration.ofSeconds(6);

    Reshard() {
        super("reshard", Group.REDIS, Effect.MOVES_SLOTS);
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        RedisNode source = Nodes.master(topology, random);
        List<Integer> partitions = Nodes.partitions(source);
        int slot = Layout.slot(partitions.get(random.nextInt(partitions.size())));
        List<RedisNode> others = new ArrayList<>(topology.redis().masters());
        others.remove(source);
        RedisNode target = others.get(random.nextInt(others.size()));
        RedisClusterNodes redis = topology.redis();
        // Waits less long than cleanup: a full disk on either side is healed only after this.
        return new Injection("slot " + slot + " from " + source + " to " + target, partitions,
                () -> Nodes.heal(topology), () -> moveBack(redis, slot, source, target))
                .by(() -> move(redis, slot, source, target, BEGIN_LIMIT));
    }

    /**
     * Moves a slot back to the shard of its source, whether or not its move to the target was
     * completed. Either node may have lost its role to its replica.
     */
    static void moveBack(RedisClusterNodes redis, int slot, RedisNode before, RedisNode after) {
        redis.awaitAgreement();
        RedisNode source = redis.masterOf(before);
        RedisNode target = redis.masterOf(after);
        if (!target.view().owns(slot)) {
            // Some keys may be on the target. They cannot go back while the source owns the slot.
            move(redis, slot, source, target, Topology.HEALING_LIMIT);
        }
        move(redis, slot, target, source, Topology.HEALING_LIMIT);
    }

    static void move(RedisClusterNodes redis, int number, RedisNode source, RedisNode target,
            Duration limit) {
        String slot = Integer.toString(number);
        target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id());
        source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id());
        Await.until("slot " + slot + " is empty on " + source, limit,
                () -> migrateKeys(slot, source, target));
        for (RedisNode node : List.of(target, source)) {
            node.command("CLUSTER", "SETSLOT", slot, "NODE", target.id());
        }
        redis.awaitAgreement();
    }

    /** Moves all keys of the slot; returns true. */
    private static boolean migrateKeys(String slot, RedisNode source, RedisNode target) {
        try (Resp resp = source.resp()) {
            while (true) {
                List<?> keys = resp.list("CLUSTER", "GETKEYSINSLOT", slot, KEYS_PER_MIGRATE);
                if (keys.isEmpty()) {
                    return true;
                }
                List<String> words = new ArrayList<>(List.of("MIGRATE", "127.0.0.1",
                        Integer.toString(target.port()), "", "0", MIGRATE_TIMEOUT_MS,
                        "REPLACE", "KEYS"));
                keys.forEach(key -> words.add((String) key));
                resp.command(words.toArray(String[]::new));
            }
        }
    }
}
