package dev.rush.testing;

import dev.rush.dev.ParentWatchdog;
import dev.rush.dev.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;

/**
 * A real Kafka on 127.0.0.1, broker and controller in its own process, so that it can be killed,
 * frozen and restarted with its data. It creates topics automatically, with three partitions each.
 */
public final class KafkaBroker implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    /** A killed broker is replaced, or may register again, only after this time. */
    private static final int SESSION_MS = 2_500;
    private static final String SETTINGS = """
            process.roles=broker%4$s
            node.id=%5$d
            controller.quorum.voters=1@127.0.0.1:%2$d
            listeners=PLAINTEXT://127.0.0.1:%1$d%6$s
            advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
            controller.listener.names=CONTROLLER
            log.dirs=%3$s/data
            num.partitions=3
            default.replication.factor=%7$d
            min.insync.replicas=%8$d
            num.network.threads=1
            num.io.threads=2
            num.recovery.threads.per.data.dir=1
            offsets.topic.replication.factor=1
            offsets.topic.num.partitions=1
            transaction.state.log.replication.factor=1
            transaction.state.log.min.isr=1
            group.initial.rebalance.delay.ms=0
            broker.heartbeat.interval.ms=500
            broker.session.timeout.ms=%9$d
            """;

    private final int port = Ports.free();
    private final Path folder;
    private Process process;
    private ParentWatchdog watchdog;

    private KafkaBroker(int id, int brokers, int controller) {
        boolean controls = id == 1;
        try {
            folder = Files.createTempDirectory("rush-kafka-");
            Files.writeString(folder.resolve("server.properties"), SETTINGS.formatted(port,
                    controller, folder, controls ? ",controller" : "", id,
                    controls ? ",CONTROLLER://127.0.0.1:" + controller : "", brokers,
                    brokers / 2 + 1, SESSION_MS));
        } catch (IOException e) {
            throw new UncheckedIOException("Kafka did not start", e);
        }
    }

    /** Starts a broker and returns when it serves. */
    public static KafkaBroker start() {
        return start(1).get(0);
    }

    /**
     * Starts brokers that replicate each record to all of them, and acknowledge it once a majority
     * has it. The first one is also the controller. Returns when they serve.
     */
    public static List<KafkaBroker> start(int brokers) {
        int controller = Ports.free();
        List<KafkaBroker> all = IntStream.rangeClosed(1, brokers).mapToObj(id ->
                new KafkaBroker(id, brokers, controller)).toList();
        all.forEach(KafkaBroker::begin);
        all.forEach(broker -> broker.awaitServing(brokers));
        return all;
    }

    /** Restarts the process with its data, and returns when it serves. */
    public void restart() {
        begin();
        awaitServing(1);
    }

    private void begin() {
        // A test broker lives for seconds; C2 would spend some of them compiling.
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                "-cp", System.getProperty("java.class.path"), KafkaServer.class.getName(),
                folder.resolve("server.properties").toString()).redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(
                folder.resolve("kafka.log").toFile()));
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        watchdog = ParentWatchdog.watch("KILL", process.pid(), folder);
    }

    private void awaitServing(int brokers) {
        Await.until("Kafka serves", START_LIMIT, () -> !process.isAlive() || serves(brokers),
                this::log);
        if (!process.isAlive()) {
            throw new AssertionError("Kafka ended\n" + log());
        }
    }

    private boolean serves(int brokers) {
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                servers(), AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 2_000,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, 1_000))) {
            return admin.describeCluster().nodes().get().size() >= brokers;
        } catch (ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the value of {@code kafka.bootstrap.servers}. */
    public String servers() {
        return "127.0.0.1:" + port;
    }

    /** Kills the process (SIGKILL). */
    public void kill() {
        watchdog.release();
        process.destroyForcibly();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("Kafka did not end");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Freezes the process (SIGSTOP). */
    public void freeze() {
        signal("STOP");
    }

    /** Resumes a frozen process (SIGCONT). */
    public void thaw() {
        signal("CONT");
    }

    private void signal(String name) {
        Command.run("kill", "-s", name, Long.toString(process.pid()));
    }

    private String log() {
        try {
            return Files.readString(folder.resolve("kafka.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        kill();
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> all = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : all) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
