package dev.rush.bench;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.dev.Ports;
import dev.rush.testing.Await;
import dev.rush.testing.Resp;
import dev.rush.testing.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A single Redis, or a cluster of masters without replicas, as processes on 127.0.0.1. */
public final class Servers implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final String name;
    private final List<EmbeddedRedis> nodes = new ArrayList<>();

    private Servers(String name) {
        this.name = name;
    }

    /** Starts one Redis. */
    public static Servers single() {
        Servers servers = new Servers("one Redis");
        servers.start();
        return servers;
    }

    /** Starts a cluster of three masters. */
    public static Servers cluster() {
        return cluster("cluster of three masters", 3);
    }

    /** Starts a cluster whose masters have equal parts of the slots. */
    public static Servers cluster(String name, int masters) {
        Servers servers = new Servers(name);
        try {
            List<Integer> busPorts = new ArrayList<>();
            for (int i = 0; i < masters; i++) {
                busPorts.add(Ports.free());
            }
            for (int i = 0; i < masters; i++) {
                servers.start("--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1",
                        "--cluster-port", busPorts.get(i).toString());
                servers.join(i, masters, busPorts);
            }
            Await.until("the cluster is up", LIMIT, servers::isUp);
            return servers;
        } catch (RuntimeException | Error e) {
            servers.close();
            throw e;
        }
    }

    /** The name for reports. */
    public String name() {
        return name;
    }

    /** Whether there is more than one server. */
    public boolean isCluster() {
        return nodes.size() > 1;
    }

    /** Returns the port of the master that serves a hash tag. */
    public int port(String tag) {
        return nodes.get(master(Slots.of(tag))).port();
    }

    /** Returns the index of the master that serves a slot. */
    public int master(int slot) {
        return slot * nodes.size() / Slots.COUNT;
    }

    /** Returns the value for {@code quarkus.redis.hosts}. */
    public String hosts() {
        return nodes.stream().map(EmbeddedRedis::url).collect(Collectors.joining(","));
    }

    /** Empties all servers. */
    public void clear() {
        for (EmbeddedRedis node : nodes) {
            try (Resp redis = Resp.connect(node.port())) {
                redis.command("FLUSHALL", "SYNC");
            }
        }
    }

    /** Returns the seconds of CPU time that each server has used so far. */
    public List<Double> cpuSeconds() {
        return nodes.stream().map(node -> {
            try (Resp redis = Resp.connect(node.port())) {
                return Measures.cpuSeconds(redis);
            }
        }).toList();
    }

    /** Returns the version of Redis. */
    public String version() {
        try (Resp redis = Resp.connect(nodes.get(0).port())) {
            return redis.text("INFO", "server").lines()
                    .filter(line -> line.startsWith("redis_version:"))
                    .map(line -> line.substring(line.indexOf(':') + 1)).findFirst().orElse("?");
        }
    }

    @Override
    public void close() {
        nodes.forEach(EmbeddedRedis::close);
    }

    private void start(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        // An AOF rewrite during one run would distort the comparison.
        all.addAll(List.of("--auto-aof-rewrite-percentage", "0"));
        nodes.add(EmbeddedRedis.startDurable(all.toArray(String[]::new)));
    }

    private void join(int i, int masters, List<Integer> busPorts) {
        try (Resp redis = Resp.connect(nodes.get(i).port())) {
            redis.command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            redis.command("CLUSTER", "ADDSLOTSRANGE", Integer.toString(first(i, masters)),
                    Integer.toString(first(i + 1, masters) - 1));
            if (i > 0) {
                redis.command("CLUSTER", "MEET", "127.0.0.1",
                        Integer.toString(nodes.get(0).port()), busPorts.get(0).toString());
            }
        }
    }

    /** Returns the lowest slot that {@link #master} maps to a master. */
    private static int first(int master, int masters) {
        return (master * Slots.COUNT + masters - 1) / masters;
    }

    private boolean isUp() {
        return nodes.stream().allMatch(node -> {
            try (Resp redis = Resp.connect(node.port())) {
                String info = redis.text("CLUSTER", "INFO");
                return info.contains("cluster_state:ok")
                        && info.contains("cluster_size:" + nodes.size() + "\r");
            }
        });
    }
}
