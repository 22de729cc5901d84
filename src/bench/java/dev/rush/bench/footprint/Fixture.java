package dev.rush.bench.footprint;

import dev.rush.bench.rush.Operator;
import dev.rush.bench.throughput.Command;
import dev.rush.dev.EmbeddedLedger;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.dev.Ports;
import dev.rush.redis.Partitions;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What all subjects share: Redis, PostgreSQL, a sale that never sells out, and new buyers. */
final class Fixture implements AutoCloseable {
    private static final Partitions PARTITIONS = new Partitions(64);
    private static final int UNITS = 1_000_000_000;

    private final EmbeddedRedis redis =
            EmbeddedRedis.startDurable("--auto-aof-rewrite-percentage", "0");
    private final EmbeddedLedger server = EmbeddedLedger.start();
    private final String ledger = server.freshDatabase();
    private final int port = Ports.free();
    private String sale;
    private int sales;
    private int buyers;

    Fixture() {
        open();
    }

    /** The port of the subjects, which run one at a time. */
    int port() {
        return port;
    }

    String sale() {
        return sale;
    }

    /** Returns a buyer who has not bought anything yet. */
    String buyer() {
        return "buyer-" + buyers++;
    }

    /** Returns the command that starts a subject. */
    List<String> command(Subject subject) {
        List<String> command = new ArrayList<>(subject.command());
        if (subject.rush()) {
            command.addAll(List.of("-Dquarkus.http.host=127.0.0.1", "-Dquarkus.http.port=" + port,
                    "-Dquarkus.management.host=127.0.0.1",
                    "-Dquarkus.management.port=" + Ports.free(),
                    "-Dquarkus.shutdown.delay=0s", "-Drush.identity=header",
                    "-Drush.trust-identity-header=true", "-Drush.role=api",
                    "-Dquarkus.redis.hosts=" + redis.url(),
                    "-Dquarkus.datasource.jdbc.url=" + ledger));
        }
        command.addAll(subject.last());
        if (!subject.rush()) {
            command.addAll(List.of("--server.port=" + port,
                    "--spring.data.redis.port=" + redis.port(),
                    "--bench.tag=" + PARTITIONS.of(sale).tag()));
        }
        return command;
    }

    /** Empties Redis and opens a fresh sale, so that every round starts with the same data. */
    void open() {
        try (Resp resp = Resp.connect(redis.port())) {
            resp.command("FLUSHALL");
        }
        sale = "footprint-" + sales++;
        try (Pod pod = Pod.start("footprint", Map.of("rush.role", "api",
                "rush.orders.sink", "postgres", "quarkus.redis.hosts", redis.url(),
                "quarkus.datasource.jdbc.url", ledger))) {
            new Operator(pod.baseUri()).prepare("/v1/sales/" + sale,
                    "{\"items\":[{\"sku\":\"unit\",\"total\":" + UNITS
                            + ",\"limitPerUser\":1}]}");
        }
    }

    /** Moves this JVM and Redis off the CPU of the services. */
    void leaveServiceCpu() {
        Command.leaveServiceCpu(ProcessHandle.current().pid());
        Command.leaveServiceCpu(redis.pid());
    }

    @Override
    public void close() {
        server.close();
        redis.close();
    }
}
