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

/** One Redis, or a cluster of masters without replicas, as processes on 127.0.0.1. */
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

    /** Starts a cluster of so many masters, each with an equal part of the slots. */
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

    /** What to call them in a report. */
    public String name() {
        return name;
    }

    /** Whether there is more than one. */
    public boolean isCluster() {
        return nodes.size() > 1;
    }

    /** The port of the master of a hash tag. */
    public int port(String tag) {
        return nodes.get(master(Slots.of(tag))).port();
    }

    /** The number of the master of a slot. */
    public int master(int slot) {
        return slot * nodes.size() / Slots.COUNT;
    }

    /** The value of {@code quarkus.redis.hosts}. */
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

    /** Seconds of processor time that each server has used so far. */
    public List<Double> cpuSeconds() {
        return nodes.stream().map(node -> {
            try (Resp redis = Resp.connect(node.port())) {
                return Measures.cpuSeconds(redis);
            }
        }).toList();
    }

    /** The version of Redis. */
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
        // A rewrite of the append-only file in the middle of one way's run would be unfair to it.
        all.addAll(List.of("--auto-aof-rewrite-percentage", "0"));
        nodes.add(EmbeddedRedis.start(all.toArray(String[]::new)));
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

    /** The first slot of a master: the least that {@link #port} maps to it. */
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
