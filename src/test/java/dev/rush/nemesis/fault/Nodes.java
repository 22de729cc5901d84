package dev.rush.nemesis.fault;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.nemesis.Layout;
import dev.rush.nemesis.Topology;
import dev.rush.testing.Await;
import dev.rush.testing.RedisClusterNodes;
import dev.rush.testing.RedisNode;
import dev.rush.testing.Resp;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** The nodes of the cluster: finds them for faults, awaits failovers, and heals them. */
public final class Nodes {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    /** About ten times as long as a failover takes here. */
    private static final Duration FAILOVER_LIMIT = Duration.ofSeconds(25);
    private static final Duration CATCH_UP_LIMIT = Duration.ofSeconds(5);

    private Nodes() {
    }

    static RedisNode master(Topology topology, Random random) {
        List<RedisNode> masters = topology.redis().masters();
        return masters.get(random.nextInt(masters.size()));
    }

    /** Returns the partitions that a master owns. */
    static List<Integer> partitions(RedisNode master) {
        RedisNode.View view = master.view();
        return IntStream.range(0, Layout.PARTITIONS)
                .filter(partition -> view.owns(Layout.slot(partition))).boxed().toList();
    }

    /** Returns all partitions. */
    public static List<Integer> allPartitions() {
        return IntStream.range(0, Layout.PARTITIONS).boxed().toList();
    }

    static RedisNode replica(Topology topology, RedisNode master) {
        return topology.redis().nodes().stream().filter(node -> node != master
                && node.server().alive() && node.view().masterId().equals(master.id()))
                .findFirst().orElseThrow();
    }

    /** Waits until the replica has all writes that its master has now. */
    private static void awaitReplica(RedisNode master) {
        long target = offset(master.replication());
        Await.until("the replica of " + master + " is in sync", LIMIT,
                () -> replicaHas(master, target));
    }

    /** Waits up to five seconds for a replica to catch up, so that its promotion loses little. */
    static void letReplicaCatchUp(RedisNode master) {
        long target = offset(master.replication());
        long deadline = System.nanoTime() + CATCH_UP_LIMIT.toNanos();
        while (!replicaHas(master, target) && System.nanoTime() < deadline) {
            Await.sleep(50);
        }
    }

    private static boolean replicaHas(RedisNode master, long target) {
        String replica = master.replication().get("slave0");
        return replica != null && replica.contains("state=online")
                && Long.parseLong(replica.replaceAll(".*offset=(\\d+).*", "$1")) >= target;
    }

    private static long offset(Map<String, String> replication) {
        return Long.parseLong(replication.get("master_repl_offset"));
    }

    /**
     * Waits until another node owns a master's slots, or the limit has passed. There may be no
     * failover if a second master has exited meanwhile, or if a clock went back: Redis measures
     * silence and votes by it.
     */
    static void awaitFailover(Topology topology, RedisNode master, List<Integer> partitions) {
        if (partitions.isEmpty()) {
            return;
        }
        int slot = Layout.slot(partitions.get(0));
        long deadline = System.nanoTime() + FAILOVER_LIMIT.toNanos();
        while (topology.redis().ownerOf(slot).filter(node -> node != master).isEmpty()) {
            if (System.nanoTime() > deadline) {
                System.out.println("         no failover of " + master + " within "
                        + FAILOVER_LIMIT);
                return;
            }
            Await.sleep(100);
        }
    }

    /** Resumes and restarts all nodes and waits until they agree and each master has a replica. */
    public static void heal(Topology topology) {
        RedisClusterNodes redis = topology.redis();
        redis.nodes().stream().map(RedisNode::server).filter(EmbeddedRedis::alive)
                .forEach(EmbeddedRedis::resume);
        redis.nodes().stream().filter(node -> !node.server().alive()).forEach(Nodes::restart);
        redis.nodes().forEach(Nodes::awaitNoScript);
        redis.awaitAgreement();
        redis.masters().forEach(Nodes::awaitReplica);
    }

    /** Kills the script that a node runs, if any, and waits until Redis says that none runs. */
    static void awaitNoScript(RedisNode node) {
        Await.until("no script runs on " + node, LIMIT, () -> {
            try {
                node.command("SCRIPT", "KILL");
                return false;
            } catch (Resp.ErrorReply e) {
                if (e.getMessage().startsWith("NOTBUSY")) {
                    return true;
                }
                throw e;
            }
        });
    }

    /** Restarts a node; if a broken disk damaged its append-only file, repairs the file first. */
    static void restart(RedisNode node) {
        try {
            node.server().restart();
        } catch (IllegalStateException e) {
            if (!e.getMessage().contains("Bad file format reading the append only file")) {
                throw e;
            }
            repairAof(node.server().folder().resolve("appendonlydir/appendonly.aof.manifest"));
            node.server().restart();
        }
    }

    /** Returns why this machine cannot repair an append-only file; null if it can. */
    static String aofRepairUnavailableReason() {
        boolean isInstalled = Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "redis-check-aof")));
        return isInstalled ? null : "no redis-check-aof (Debian: redis-tools)";
    }

    private static void repairAof(Path manifest) {
        try {
            Process check = new ProcessBuilder("redis-check-aof", "--fix", manifest.toString())
                    .redirectErrorStream(true).start();
            check.getOutputStream().write('y');
            check.getOutputStream().close();
            String output = new String(check.getInputStream().readAllBytes());
            if (check.waitFor() != 0) {
                throw new IllegalStateException(output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the owner and configuration epoch of each partition. */
    public static Map<Integer, String> owners(Topology topology) {
        Map<Integer, String> owners = new TreeMap<>();
        for (RedisNode master : topology.redis().masters()) {
            RedisNode.View view = master.view();
            for (int partition : partitions(master)) {
                owners.put(partition, master.id() + " " + view.epoch());
            }
        }
        return owners;
    }
}
