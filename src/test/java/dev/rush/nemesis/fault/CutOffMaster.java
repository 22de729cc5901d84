package dev.rush.nemesis.fault;

import dev.rush.nemesis.Disks;
import dev.rush.nemesis.Topology;
import dev.rush.testing.RedisNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A network partition cuts a master off from all other nodes, but not from its clients. It is in
 * the minority, so it must stop selling before the others promote its replica, or it loses orders.
 */
final class CutOffMaster extends Fault {
    private static final String TABLE = "rush_nemesis_" + ProcessHandle.current().pid();

    CutOffMaster() {
        super("cut-off-master", Group.REDIS, Effect.LOSES_WRITES);
    }

    @Override
    public String unavailableReason() {
        return Topology.canIsolateNodes() ? null
                : "only root with nft (Debian: nftables) can cut off nodes";
    }

    @Override
    public Injection inject(Topology topology, Random random) {
        RedisNode master = Nodes.master(topology, random);
        List<Integer> partitions = Nodes.partitions(master);
        List<String> others = new ArrayList<>();
        List<String> ports = new ArrayList<>();
        for (RedisNode node : topology.redis().nodes()) {
            if (node != master) {
                others.add(topology.sourceOf(node));
                ports.add(Integer.toString(node.busPort()));
                ports.add(Integer.toString(topology.proxyOf(node).port()));
            }
        }
        String own = master.busPort() + ", " + topology.proxyOf(master).port();
        nft("add table inet " + TABLE,
                "add chain inet " + TABLE + " out { type filter hook output priority 0 ; }",
                "add rule inet " + TABLE + " out ip saddr " + topology.sourceOf(master)
                        + " tcp dport { " + String.join(", ", ports) + " } drop",
                "add rule inet " + TABLE + " out ip saddr { " + String.join(", ", others)
                        + " } tcp dport { " + own + " } drop");
        return new Injection(master.toString(), partitions, () -> {
            try {
                Nodes.awaitFailover(topology, master, partitions);
            } finally {
                nft("delete table inet " + TABLE);
            }
            Nodes.heal(topology);
        });
    }

    /** Executes statements in one transaction: if one fails, none has an effect. */
    static void nft(String... statements) {
        String transaction = String.join(" ; ", statements);
        if (Disks.run("nft", transaction) != 0) {
            throw new IllegalStateException("nft " + transaction);
        }
    }
}
