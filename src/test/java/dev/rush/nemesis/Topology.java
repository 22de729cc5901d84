package dev.rush.nemesis;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.dev.Place;
import dev.rush.dev.Ports;
import dev.rush.testing.Api;
import dev.rush.testing.Await;
import dev.rush.testing.FaultyProxy;
import dev.rush.testing.Pod;
import dev.rush.testing.RedisClusterNodes;
import dev.rush.testing.RedisNode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Collectors;

/**
 * Three Redis masters with a replica each, PostgreSQL and two pods, all started by this run. Pods
 * and nodes reach each Redis node through a proxy, whose address the node announces.
 */
public final class Topology implements AutoCloseable {
    /** The name of PostgreSQL's disk in {@link #disks}. */
    public static final String LEDGER = "ledger";
    /** The time limit for anything that heals within seconds; {@link Await} stretches it. */
    public static final Duration HEALING_LIMIT = Duration.ofSeconds(12);

    private static final int NODES = 6;
    private static final int PODS = 2;

    private final List<FaultyProxy> proxies = new ArrayList<>();
    private final List<Shim> shims = new ArrayList<>();
    private final Shim ledgerShim = new Shim(LEDGER);
    private final Disks disks = new Disks();
    private final RedisClusterNodes redis;
    private final String ledgerUrl;
    private EmbeddedLedger ledger;
    /** Follows the ledger, or is its stopped predecessor; null if no fault needs a standby. */
    private EmbeddedLedger standby;
    private final AtomicReferenceArray<Pod> pods = new AtomicReferenceArray<>(PODS);
    private final Map<String, String> config;
    private int launches;
    /** A load balancer would not use this pod yet. */
    private volatile Pod starting;

    /**
     * Starts everything and returns when both pods are ready.
     *
     * @param withStandby whether the ledger has a standby, which a fault may promote
     * @param durability the pods' {@code rush.durability}
     */
    public Topology(boolean withStandby, String durability) {
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            int port = Ports.free();
            shims.add(new Shim("redis-" + i));
            places.add(new Place(port, disks.folder("redis-" + i), shims.get(i).environment()));
            proxies.add(FaultyProxy.before(port));
        }
        redis = RedisClusterNodes.start(places::get, this::arguments);
        ledger = EmbeddedLedger.start(
                new Place(Ports.free(), disks.folder(LEDGER), ledgerShim.environment()));
        // Only from its second start on does PostgreSQL run under the shim.
        ledger.stop();
        ledger.restart();
        String url = ledger.freshDatabase();
        if (withStandby) {
            standby = ledger.follower(Place.anywhere());
            url = url.replaceFirst(":(\\d+)/", ":$1,127.0.0.1:" + standby.port() + "/")
                    + "&targetServerType=primary";
        }
        ledgerUrl = url;
        config = new HashMap<>(Map.of(
                "quarkus.redis.hosts", proxies.stream().map(
                        proxy -> "redis://127.0.0.1:" + proxy.port())
                        .collect(Collectors.joining(",")),
                "quarkus.redis.client-type", "cluster",
                "quarkus.datasource.jdbc.url", ledgerUrl,
                "rush.orders.sink", "postgres",
                "rush.confirm-by", "buyer",
                "rush.rate-limit.enabled", "false",
                "rush.deadline", "PT3S"));
        config.put("rush.durability", durability);
        config.putAll(Map.of(
                "rush.writer.lease", "PT2S",
                "rush.writer.retry", "PT0.1S",
                "rush.returns.retry", "PT0.5S",
                "rush.expiry.interval", "PT0.3S",
                "rush.expiry.away", "PT4S",
                "rush.expiry.grace", "PT6S",
                "rush.books.interval", "PT5S",
                "rush.ledger.deadline", "PT6S",
                "quarkus.datasource.jdbc.max-size", "12"));
        for (int i = 0; i < PODS; i++) {
            pods.set(i, launch(i));
        }
        for (int i = 0; i < PODS; i++) {
            pods.get(i).awaitReady();
        }
    }

    private String[] arguments(int i) {
        List<String> arguments = new ArrayList<>(List.of(
                "--cluster-announce-port", Integer.toString(proxies.get(i).port()),
                "--cluster-replica-validity-factor", "0", "--enable-debug-command", "local",
                "--repl-backlog-size", "64mb", "--auto-aof-rewrite-min-size", "64mb"));
        if (canIsolateNodes()) {
            arguments.addAll(List.of("--bind-source-addr", source(i)));
        }
        return arguments.toArray(String[]::new);
    }

    /** Returns whether this machine can cut one node off from the others. */
    public static boolean canIsolateNodes() {
        return Disks.available() && Disks.run("nft", "list", "tables") == 0;
    }

    /** Returns the address from which a node connects to others. */
    public String sourceOf(RedisNode node) {
        return source(redis.nodes().indexOf(node));
    }

    private static String source(int node) {
        return "127.0.1." + (node + 1);
    }

    private Pod launch(int i) {
        launches++;
        return Pod.launch("nemesis-" + i + "-" + launches, config);
    }

    /** Returns the Redis Cluster. */
    public RedisClusterNodes redis() {
        return redis;
    }

    /** Returns the proxy in front of a node. */
    public FaultyProxy proxyOf(RedisNode node) {
        return proxies.get(redis.nodes().indexOf(node));
    }

    /** Returns the shim of a node's clock and disk. */
    public Shim shimOf(RedisNode node) {
        return shims.get(redis.nodes().indexOf(node));
    }

    /** Returns the shim of PostgreSQL's disk. */
    public Shim ledgerShim() {
        return ledgerShim;
    }

    /** Returns the name of a node's disk in {@link #disks}. */
    public String diskOf(RedisNode node) {
        return "redis-" + redis.nodes().indexOf(node);
    }

    /** Returns PostgreSQL. */
    public EmbeddedLedger ledger() {
        return ledger;
    }

    /**
     * Stops the ledger and promotes its standby. {@link #replaceStandby} must follow, whether or
     * not this succeeds.
     *
     * @param lagMs how long the standby does not replicate before the ledger stops
     */
    public void failLedgerOver(long lagMs) {
        standby.stopFollowing();
        Await.sleep(lagMs);
        ledger.stopImmediately();
        standby.promote();
        EmbeddedLedger former = ledger;
        ledger = standby;
        standby = former;
    }

    /** Replaces the standby, which may no longer follow, by a new one of the present ledger. */
    public void replaceStandby() {
        standby.close();
        awaitLedger();
        standby = ledger.follower(new Place(standby.port(), null, Map.of()));
    }

    /** Returns the disks of the nodes and the ledger. */
    public Disks disks() {
        return disks;
    }

    /** Opens a connection to the pods' database; the caller closes it. */
    public Connection sql() throws SQLException {
        return DriverManager.getConnection(ledgerUrl);
    }

    /** Waits until PostgreSQL answers; restarts it if it has stopped. */
    public void awaitLedger() {
        Await.until("PostgreSQL answers", HEALING_LIMIT, () -> {
            // With several hosts, the driver does not report which one refused.
            try (Connection direct = DriverManager.getConnection(ledger.url("postgres"));
                    Connection connection = sql()) {
                return direct.isValid(1) && connection.isValid(1);
            } catch (SQLException e) {
                if (e.getMessage().contains("refused")) {
                    ledger.restart();
                }
                return false;
            }
        });
    }

    /** Returns the number of pods. */
    public int podCount() {
        return PODS;
    }

    /** Returns a pod, alive or not. */
    public Pod pod(int i) {
        return pods.get(i);
    }

    /** Returns a client of a random pod, nearly always of one that is up, if there is one. */
    public Api anyPod() {
        int first = ThreadLocalRandom.current().nextInt(PODS);
        for (int i = 0; i < PODS; i++) {
            Pod pod = pods.get((first + i) % PODS);
            // Now and then call a pod that is down, as a load balancer may.
            if (pod.alive() && pod != starting || ThreadLocalRandom.current().nextInt(50) == 0) {
                return pod.api();
            }
        }
        return pods.get(first).api();
    }

    /** Starts a pod in place of a stopped one, without waiting for it. */
    public void replacePod(int i) {
        starting = launch(i);
        pods.set(i, starting);
    }

    /** Returns whether all pods are ready. */
    public boolean podsReady() {
        if (starting != null && starting.ready()) {
            starting = null;
        }
        return starting == null;
    }

    /** Waits until all pods are ready, however slow the machine. */
    public void awaitPods() {
        for (int i = 0; i < PODS; i++) {
            pods.get(i).awaitReady();
        }
        starting = null;
    }

    /** Returns the sum of a metric over all pods. */
    public double metric(String name) {
        double sum = 0;
        for (int i = 0; i < PODS; i++) {
            sum += pods.get(i).metric(name);
        }
        return sum;
    }

    /** Returns the folder of reports. */
    public static Path output() {
        return Path.of("target", "nemesis");
    }

    @Override
    public void close() {
        for (int i = 0; i < PODS; i++) {
            if (pods.get(i) != null) {
                pods.get(i).close();
            }
        }
        proxies.forEach(FaultyProxy::close);
        redis.close();
        ledger.close();
        if (standby != null) {
            standby.close();
        }
        disks.close();
    }
}
