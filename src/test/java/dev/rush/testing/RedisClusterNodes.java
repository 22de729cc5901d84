package dev.rush.testing;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.dev.Place;
import dev.rush.dev.Ports;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * A real Redis Cluster of three masters with a replica each, six processes on 127.0.0.1. The
 * replica of a master that is silent for 1.5 seconds takes over; the other masters serve their
 * slots meanwhile.
 *
 * <p>Wait with {@link #awaitHealthy} before breaking anything: a master that dies before its
 * replica is in sync takes its slots with it.
 */
public final class RedisClusterNodes implements AutoCloseable {
    private static final int MASTERS = 3;
    private static final int NODE_TIMEOUT_MS = 1_500;
    private static final Duration LIMIT = Duration.ofSeconds(30);
    /** Redis gives up a planned failover after five seconds. */
    private static final Duration GIVEN_UP = Duration.ofMillis(5_500);

    private final List<RedisNode> nodes = new ArrayList<>();

    private RedisClusterNodes() {
    }

    /**
     * Starts the cluster and returns when every node is in it and every replica is in sync.
     *
     * @param arguments further command-line arguments of each server
     */
    public static RedisClusterNodes start(String... arguments) {
        return start(i -> Place.anywhere(), i -> arguments);
    }

    /**
     * The same with a place and arguments for each node.
     *
     * @param arguments of a node; the masters come first, then their replicas in the same order
     */
    public static RedisClusterNodes start(
            IntFunction<Place> places, IntFunction<String[]> arguments) {
        RedisClusterNodes cluster = new RedisClusterNodes();
        try {
            for (int i = 0; i < 2 * MASTERS; i++) {
                cluster.nodes.add(startNode(places.apply(i), arguments.apply(i)));
            }
            cluster.join();
            cluster.awaitHealthy();
            return cluster;
        } catch (RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
    }

    /** Returns all nodes, dead or alive, always in the same order. */
    public List<RedisNode> nodes() {
        return List.copyOf(nodes);
    }

    /** Returns the nodes that answer now. */
    public List<RedisNode> answering() {
        return nodes.stream().filter(node -> view(node).isPresent()).toList();
    }

    /** Returns the nodes that answer and are masters. */
    public List<RedisNode> masters() {
        return nodes.stream().filter(node -> view(node).map(RedisNode.View::master).orElse(false))
                .toList();
    }

    /** Returns the addresses for {@code quarkus.redis.hosts}. */
    public String hosts() {
        return nodes.stream().map(node -> node.server().url()).collect(Collectors.joining(","));
    }

    /** Returns the node that owns a slot, if one that answers does. */
    public Optional<RedisNode> ownerOf(int slot) {
        record Claim(RedisNode node, RedisNode.View view) {
        }

        return nodes.stream()
                .flatMap(node -> view(node).map(view -> new Claim(node, view)).stream())
                .filter(claim -> claim.view().owns(slot))
                .max(Comparator.comparingLong(claim -> claim.view().epoch()))
                .map(Claim::node);
    }

    /** Returns the master of a slot, waiting for one as long as a failover may take. */
    public RedisNode masterOf(int slot) {
        Await.until("slot " + slot + " has a master", LIMIT, () -> ownerOf(slot).isPresent());
        return ownerOf(slot).orElseThrow();
    }

    /** Returns the master of a node's shard, which is the node itself if it is a master. */
    public RedisNode masterOf(RedisNode node) {
        RedisNode.View view = node.view();
        return view.master() ? node : nodes.stream()
                .filter(other -> other.id().equals(view.masterId())).findFirst().orElseThrow();
    }

    /** Returns the answering replicas of the master of a slot. */
    public List<RedisNode> replicasOf(int slot) {
        String master = masterOf(slot).id();
        return nodes.stream()
                .filter(node -> view(node).map(v -> v.masterId().equals(master)).orElse(false))
                .toList();
    }

    /** Opens a connection to the master of a key's slot; the caller closes it. */
    public Resp resp(String key) {
        return masterOf(Slots.of(key)).resp();
    }

    /** Sends a command to every node that answers, for example {@code CONFIG SET ...}. */
    public void onEveryNode(String... words) {
        answering().forEach(node -> node.command(words));
    }

    /** Sends a command to every master, for example {@code FLUSHALL} or {@code SCRIPT FLUSH}. */
    public void onEveryMaster(String... words) {
        masters().forEach(node -> node.command(words));
    }

    /**
     * Fails over to a replica of a slot's master in coordination with it, so that nothing is lost,
     * and waits until all nodes agree.
     *
     * @return the new master
     */
    public RedisNode failover(int slot) {
        awaitHealthy();
        RedisNode next = replicasOf(slot).get(0);
        promote(next);
        awaitHealthy();
        return next;
    }

    /**
     * Makes a replica a master in coordination with its present one, and waits until it is. Asks
     * again when Redis has given up: masters do not vote twice for a shard within two node
     * timeouts.
     */
    public void promote(RedisNode replica) {
        Await.until(replica + " is a master", LIMIT,
                () -> replica.view().master() || becomesMaster(replica), this::describe);
    }

    private static boolean becomesMaster(RedisNode replica) {
        replica.command("CLUSTER", "FAILOVER");
        long deadline = System.nanoTime() + GIVEN_UP.toNanos();
        while (System.nanoTime() < deadline) {
            if (replica.view().master()) {
                return true;
            }
            Await.sleep(50);
        }
        return false;
    }

    /** Waits until a slot has another master, and returns that. */
    public RedisNode awaitFailover(int slot, RedisNode old) {
        Await.until("slot " + slot + " moves away from " + old, LIMIT,
                () -> ownerOf(slot).filter(node -> node != old).isPresent(), this::describe);
        return masterOf(slot);
    }

    /** Resumes or restarts all nodes, and waits until the cluster is healthy. */
    public void heal() {
        for (RedisNode node : nodes) {
            if (node.server().alive()) {
                node.server().resume();
            } else {
                node.server().restart();
            }
        }
        awaitHealthy();
    }

    /** Waits until all nodes agree that the cluster is healthy, and each replica is in sync. */
    public void awaitHealthy() {
        awaitAgreement();
        awaitReplicas();
    }

    /** Waits until all nodes agree that the cluster is healthy; replicas may lag, as under load. */
    public void awaitAgreement() {
        Await.until("the cluster is healthy", LIMIT, this::healthy, this::describe);
    }

    /** Waits until every master has a replica and each replica has all of its master's writes. */
    public void awaitReplicas() {
        Await.until("the replicas are in sync", LIMIT,
                () -> masters().stream().allMatch(RedisClusterNodes::replicated), this::describe);
    }

    /** Describes every node, as evidence. */
    public String describe() {
        return nodes.stream().map(node -> {
            try {
                return node + " " + node.view() + " " + node.clusterInfo().get("cluster_state")
                        + "\n" + node.command("CLUSTER", "NODES");
            } catch (RuntimeException e) {
                return node + " does not answer: " + e.getMessage();
            }
        }).collect(Collectors.joining("\n"));
    }

    @Override
    public void close() {
        for (RedisNode node : nodes) {
            node.server().kill();
            node.server().close();
        }
    }

    private static RedisNode startNode(Place place, String... arguments) {
        int busPort = Ports.free();
        List<String> all = new ArrayList<>(List.of(
                "--cluster-enabled", "yes", "--cluster-port", Integer.toString(busPort),
                "--cluster-announce-ip", "127.0.0.1",
                "--cluster-node-timeout", Integer.toString(NODE_TIMEOUT_MS),
                "--cluster-require-full-coverage", "no",
                // Each master keeps the replica that the test knows.
                "--cluster-allow-replica-migration", "no",
                "--repl-diskless-sync-delay", "0"));
        all.addAll(List.of(arguments));
        return new RedisNode(EmbeddedRedis.start(place, all.toArray(String[]::new)),
                busPort);
    }

    private void join() {
        for (int i = 0; i < nodes.size(); i++) {
            RedisNode node = nodes.get(i);
            node.command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            if (i < MASTERS) {
                node.command("CLUSTER", "ADDSLOTSRANGE",
                        Integer.toString(i * Slots.COUNT / MASTERS),
                        Integer.toString((i + 1) * Slots.COUNT / MASTERS - 1));
            }
            if (i > 0) {
                nodes.get(0).command("CLUSTER", "MEET", "127.0.0.1",
                        Integer.toString(node.port()), Integer.toString(node.busPort()));
            }
        }
        Await.until("the nodes know each other", LIMIT, () -> nodes.stream().allMatch(
                node -> nodes.stream().allMatch(other -> knows(node, other))), this::describe);
        for (int i = MASTERS; i < nodes.size(); i++) {
            nodes.get(i).command("CLUSTER", "REPLICATE", nodes.get(i - MASTERS).id());
        }
    }

    private static boolean knows(RedisNode node, RedisNode other) {
        String known = (String) node.command("CLUSTER", "NODES");
        return known.lines().anyMatch(
                line -> line.startsWith(other.id()) && !line.contains("handshake"));
    }

    private boolean healthy() {
        return masters().size() == MASTERS && nodes.stream().allMatch(node -> {
            Map<String, String> info = node.clusterInfo();
            boolean seesAll = ((String) node.command("CLUSTER", "NODES")).lines()
                    .noneMatch(line -> line.contains("fail") || line.contains("disconnected"));
            return seesAll
                    && info.get("cluster_state").equals("ok")
                    && info.get("cluster_size").equals(Integer.toString(MASTERS))
                    && info.get("cluster_slots_ok").equals(Integer.toString(Slots.COUNT));
        });
    }

    private static boolean replicated(RedisNode master) {
        Map<String, String> replication = master.replication();
        String offset = replication.get("master_repl_offset");
        // slave0:ip=127.0.0.1,port=20001,state=online,offset=42,lag=0
        String replica = replication.get("slave0");
        return replica != null && replica.contains("state=online")
                && replica.contains("offset=" + offset + ",");
    }

    private static Optional<RedisNode.View> view(RedisNode node) {
        // A frozen node would be given three seconds for its answer, in each round of a wait.
        if (!node.server().alive() || node.server().paused()) {
            return Optional.empty();
        }
        try {
            return Optional.of(node.view());
        } catch (RuntimeException e) {
            return Optional.empty(); // Starting or stopping.
        }
    }
}
