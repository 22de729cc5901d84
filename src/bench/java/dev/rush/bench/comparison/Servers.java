package dev.rush.bench.comparison;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.dev.Ports;
import dev.rush.testing.Await;
import dev.rush.testing.Resp;
import dev.rush.testing.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One Redis, or a cluster of three masters without replicas, as processes on 127.0.0.1. */
final class Servers implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final String name;
    private final List<EmbeddedRedis> nodes = new ArrayList<>();

    private Servers(String name) {
        this.name = name;
    }

    /** Starts one Redis. */
    static Servers single() {
        Servers servers = new Servers("one Redis");
        servers.start();
        return servers;
    }

    /** Starts a cluster of three masters. */
    static Servers cluster() {
        Servers servers = new Servers("cluster of three masters");
        try {
            List<Integer> busPorts = List.of(Ports.free(), Ports.free(), Ports.free());
            for (int i = 0; i < busPorts.size(); i++) {
                servers.start("--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1",
                        "--cluster-port", busPorts.get(i).toString());
                servers.join(i, busPorts);
            }
            Await.until("the cluster is up", LIMIT, servers::isUp);
            return servers;
        } catch (RuntimeException | Error e) {
            servers.close();
            throw e;
        }
    }

    String name() {
        return name;
    }

    boolean isCluster() {
        return nodes.size() > 1;
    }

    /** The port of the master of a hash tag. */
    int port(String tag) {
        return nodes.get(Slots.of(tag) * nodes.size() / Slots.COUNT).port();
    }

    /** Empties all servers. */
    void clear() {
        for (EmbeddedRedis node : nodes) {
            try (Resp redis = Resp.connect(node.port())) {
                redis.command("FLUSHALL", "SYNC");
            }
        }
    }

    /** Seconds of processor time that each server has used so far. */
    List<Double> cpuSeconds() {
        return nodes.stream().map(node -> {
            try (Resp redis = Resp.connect(node.port())) {
                return redis.text("INFO", "cpu").lines()
                        .filter(line -> line.matches("used_cpu_(sys|user):.*"))
                        .mapToDouble(line -> Double.parseDouble(
                                line.substring(line.indexOf(':') + 1)))
                        .sum();
            }
        }).toList();
    }

    /** The version of Redis. */
    String version() {
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

    private void join(int i, List<Integer> busPorts) {
        try (Resp redis = Resp.connect(nodes.get(i).port())) {
            redis.command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            redis.command("CLUSTER", "ADDSLOTSRANGE", Integer.toString(first(i)),
                    Integer.toString(first(i + 1) - 1));
            if (i > 0) {
                redis.command("CLUSTER", "MEET", "127.0.0.1",
                        Integer.toString(nodes.get(0).port()), busPorts.get(0).toString());
            }
        }
    }

    /** The first slot of a master: the least that {@link #port} maps to it. */
    private static int first(int master) {
        return (master * Slots.COUNT + 2) / 3;
    }

    private boolean isUp() {
        return nodes.stream().allMatch(node -> {
            try (Resp redis = Resp.connect(node.port())) {
                String info = redis.text("CLUSTER", "INFO");
                return info.contains("cluster_state:ok") && info.contains("cluster_size:3");
            }
        });
    }
}
