package dev.rush.bench.throughput;

import dev.rush.bench.Measures;
import dev.rush.bench.rush.Operator;
import dev.rush.dev.EmbeddedLedger;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.dev.Ports;
import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import dev.rush.testing.Await;
import dev.rush.testing.Resp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Redis, PostgreSQL, the service and its available peers, on free loopback ports. All services
 * share one Redis, and all sales lie in one partition.
 */
final class Stage implements AutoCloseable {
    private static final Path LOGS = Path.of("target", "throughput", "logs");
    private static final Path SPRING = Path.of("bench", "spring", "target", "spring-peer.jar");
    private static final Path BARE =
            Path.of("bench", "bare", "target", "quarkus-app", "quarkus-run.jar");
    /** As in the image: the whole heap from the start, half of it for the young generation. */
    private static final List<String> HEAP = List.of("-Xms512m", "-Xmx512m", "-XX:NewRatio=1");

    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    private final int replicas = Integer.getInteger("throughput.replicas", 0);
    private final boolean storing = Boolean.getBoolean("throughput.ledger");
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private final Partition partition = new Partitions(64).all().get(7);
    private final boolean pinned;
    private final EmbeddedRedis redis;
    private final Service rush;
    private final Service webdis;
    private final Service spring;
    private final Service bare;
    private int paceMillis;
    private int nextId;

    Stage(String jar) {
        pinned = Command.canPin();
        if (pinned) {
            Command.leaveServiceCpu();
        }
        try {
            redis = closeLater(EmbeddedRedis.startDurable("--auto-aof-rewrite-percentage", "0"));
            for (int i = 0; i < replicas; i++) {
                EmbeddedRedis replica = closeLater(EmbeddedRedis.startDurable("--replicaof",
                        "127.0.0.1 " + redis.port(), "--repl-diskless-sync-delay", "0"));
                Await.until("the replica is in sync", START_LIMIT, () -> isInSync(replica));
            }
            rush = closeLater(rush(jar, closeLater(storing
                    ? EmbeddedLedger.startDurable() : EmbeddedLedger.start())));
            webdis = Command.isInstalled("webdis") ? closeLater(webdis()) : null;
            spring = Files.exists(SPRING) ? closeLater(spring()) : null;
            bare = Files.exists(BARE) ? closeLater(bare()) : null;
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private static boolean isInSync(EmbeddedRedis replica) {
        try (Resp resp = Resp.connect(replica.port())) {
            return resp.text("INFO", "replication").contains("master_link_status:up");
        }
    }

    /** How many replicas Redis has. */
    int replicas() {
        return replicas;
    }

    /** Whether orders are stored in PostgreSQL, so that purchases can wait for that. */
    boolean isStoring() {
        return storing;
    }

    Service rush() {
        return rush;
    }

    Optional<Service> webdisIfInstalled() {
        return Optional.ofNullable(webdis);
    }

    Optional<Service> springIfBuilt() {
        return Optional.ofNullable(spring);
    }

    Optional<Service> bareIfBuilt() {
        return Optional.ofNullable(bare);
    }

    /** The mean pause of a connection between two requests of a paced case. */
    int paceMillis() {
        return paceMillis;
    }

    /** Sets {@link #paceMillis()}. */
    void pace(int millis) {
        paceMillis = millis;
    }

    boolean pinned() {
        return pinned;
    }

    Partition partition() {
        return partition;
    }

    Operator operator() {
        return new Operator(URI.create(rush.url()));
    }

    Resp redis() {
        return Resp.connect(redis.port());
    }

    /** Returns a new id in the partition that all sales and rains share. */
    String newId(String kind) {
        Partitions partitions = new Partitions(64);
        String id;
        do {
            id = kind + "-" + nextId++;
        } while (partitions.of(id).index() != partition.index());
        return id;
    }

    /** Returns the seconds of CPU time that Redis has used so far. */
    double redisCpuSeconds() {
        try (Resp resp = redis()) {
            return Measures.cpuSeconds(resp);
        }
    }

    /** Removes the data of a sale or rain, so that every round starts with the same data. */
    void clear(String id) {
        try (Resp resp = redis()) {
            for (Object key : resp.list("KEYS", partition.key("*:" + id + ":*"))) {
                resp.command("UNLINK", (String) key);
            }
            resp.command("XTRIM", partition.key("orders"), "MAXLEN", "0");
        }
    }

    @Override
    public void close() {
        while (!started.isEmpty()) {
            try {
                started.pop().close();
            } catch (Exception e) {
                System.err.println("could not stop: " + e.getMessage());
            }
        }
    }

    private <T extends AutoCloseable> T closeLater(T service) {
        started.push(service);
        return service;
    }

    private Service rush(String jar, EmbeddedLedger ledger) {
        int port = Ports.free();
        return Service.start("Rush", port, LOGS.resolve("rush.log"), Command.onServiceCpu(onJava(
                "-Dquarkus.http.host=127.0.0.1", "-Dquarkus.http.port=" + port,
                "-Dquarkus.management.host=127.0.0.1", "-Dquarkus.management.port=" + Ports.free(),
                "-Drush.identity=header", "-Drush.trust-identity-header=true",
                "-Drush.role=" + (storing ? "all" : "api"),
                "-Drush.durability.replicas=" + replicas,
                "-Dquarkus.redis.hosts=" + redis.url(),
                "-Dquarkus.datasource.jdbc.url=" + ledger.freshDatabase(), "-jar", jar), pinned));
    }

    private Service spring() {
        int port = Ports.free();
        return Service.start("Spring WebFlux, Lettuce", port, LOGS.resolve("spring.log"),
                Command.onServiceCpu(onJava("-jar", SPRING.toString(), "--server.port=" + port,
                        "--spring.data.redis.port=" + redis.port(),
                        "--bench.tag=" + partition.tag()), pinned));
    }

    private Service bare() {
        int port = Ports.free();
        return Service.start("bare Quarkus", port, LOGS.resolve("bare.log"), Command.onServiceCpu(
                onJava("-Dquarkus.http.port=" + port, "-jar", BARE.toString()), pinned));
    }

    private Service webdis() {
        int port = Ports.free();
        Path config = LOGS.resolveSibling("webdis.json");
        List<String> lines = new ArrayList<>(List.of("{",
                "\"redis_host\": \"127.0.0.1\", \"redis_port\": " + redis.port() + ",",
                "\"http_host\": \"127.0.0.1\", \"http_port\": " + port + ",",
                // One thread, for its one CPU.
                "\"threads\": 1, \"pool_size\": 20, \"daemonize\": false, \"verbosity\": 0,",
                "\"database\": 0, \"logfile\": \"/dev/null\"", "}"));
        try {
            Files.createDirectories(config.getParent());
            Files.write(config, lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Service.start("webdis", port, LOGS.resolve("webdis.log"),
                Command.onServiceCpu(List.of("webdis", config.toString()), pinned));
    }

    private static List<String> onJava(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(HEAP);
        command.addAll(List.of(arguments));
        return command;
    }
}
