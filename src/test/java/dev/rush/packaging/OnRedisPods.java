package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Base of tests that run on six Redis pods each, which do not form a cluster at first. */
abstract class OnRedisPods {
    static final int KEYS = 12;
    static final Duration SOON = Duration.ofSeconds(90);

    @TempDir
    Path folder;

    RedisPods pods;

    @BeforeEach
    void start() {
        pods = RedisPods.start(folder);
    }

    @AfterEach
    void stop() {
        if (pods != null) {
            pods.close();
        }
    }

    /** Forms the cluster and writes the keys. */
    void formCluster() {
        Command create = pods.create();
        assertThat(create.status()).as(create.output()).isZero();
        pods.awaitReady(SOON);
        pods.write(KEYS);
    }

    /** Returns one of the replicas. */
    String replica() {
        return inRole("slave").get(0);
    }

    List<String> masters() {
        return inRole("master");
    }

    List<String> inRole(String role) {
        return RedisPods.names().stream().filter(pod -> pods.role(pod).equals(role)).toList();
    }

    /** How many calls of a CLUSTER subcommand a pod's node has received. */
    long clusterCalls(String pod, String command) {
        return pods.cli(pod, "info", "commandstats").lines()
                .filter(line -> line.startsWith("cmdstat_cluster|" + command + ":"))
                .mapToLong(line -> Long.parseLong(line.split("[=,]")[1]))
                .sum();
    }

    /** Returns what a pod's node knows of the cluster, and what the pod has logged, as evidence. */
    String describe(String pod) {
        try {
            return pods.cli(pod, "cluster", "nodes") + "\n"
                    + Files.readString(folder.resolve(pod + ".log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void assertNoKeyIsLost() {
        assertThat(pods.countReadable(KEYS)).isEqualTo(KEYS);
    }
}
