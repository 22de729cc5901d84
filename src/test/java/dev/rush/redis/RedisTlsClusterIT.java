package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rush.dev.Ports;
import dev.rush.testing.Await;
import dev.rush.testing.Certificates;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import dev.rush.testing.TlsRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * S3: TLS to a cluster of three masters, of which one is configured: the pod learns the names of
 * the others from the cluster, and their certificates must name them too.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisTlsClusterIT {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int MASTERS = 3;
    private static final int SLOTS = 16_384;
    private static final String DOMAIN = ".rush.test";

    @TempDir
    static Path folder;
    private final List<TlsRedis> nodes = new ArrayList<>();
    private Path hosts;
    private Path bundle;

    @BeforeAll
    void start() throws IOException {
        assumeTrue(TlsRedis.isSupported(), "a redis-server with TLS");
        hosts = folder.resolve("hosts");
        List<Certificates> certificates = new ArrayList<>();
        StringBuilder names = new StringBuilder("127.0.0.1 localhost\n");
        for (int i = 0; i < MASTERS; i++) {
            names.append("127.0.0.1 ").append(name(i)).append('\n');
        }
        Files.writeString(hosts, names);
        // Two certificates: one for the first two nodes, and one for the third.
        certificates.add(Certificates.of(folder, "two", "dns:" + name(0), "dns:" + name(1)));
        certificates.add(Certificates.of(folder, "third", "dns:" + name(2)));
        bundle = Certificates.bundle(folder.resolve("ca.crt"),
                certificates.toArray(Certificates[]::new));
        List<Integer> busPorts = new ArrayList<>();
        for (int i = 0; i < MASTERS; i++) {
            busPorts.add(Ports.free());
            nodes.add(TlsRedis.start(certificates.get(i / 2), "--cluster-enabled", "yes",
                    "--cluster-port", Integer.toString(busPorts.get(i)),
                    "--tls-cluster", "yes", "--tls-ca-cert-file", bundle.toString(),
                    "--cluster-announce-ip", "127.0.0.1",
                    "--cluster-announce-hostname", name(i),
                    "--cluster-preferred-endpoint-type", "hostname"));
        }
        join(busPorts);
    }

    private void join(List<Integer> busPorts) {
        for (int i = 0; i < MASTERS; i++) {
            command(i, "CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            command(i, "CLUSTER", "ADDSLOTSRANGE", Integer.toString(i * SLOTS / MASTERS),
                    Integer.toString((i + 1) * SLOTS / MASTERS - 1));
            if (i > 0) {
                command(0, "CLUSTER", "MEET", "127.0.0.1",
                        Integer.toString(nodes.get(i).tlsPort()),
                        Integer.toString(busPorts.get(i)));
            }
        }
        Await.until("the nodes know each other by name", SOON, () -> {
            for (int i = 0; i < MASTERS; i++) {
                String known = (String) command(i, "CLUSTER", "NODES");
                for (int other = 0; other < MASTERS; other++) {
                    if (!known.contains(name(other)) || !String.valueOf(
                            command(i, "CLUSTER", "INFO")).contains("cluster_state:ok")) {
                        return false;
                    }
                }
            }
            return true;
        }, () -> String.valueOf(command(0, "CLUSTER", "NODES")));
    }

    @AfterAll
    void stop() {
        nodes.forEach(TlsRedis::close);
    }

    private static String name(int node) {
        return "redis-" + node + DOMAIN;
    }

    private Object command(int node, String... words) {
        try (Resp resp = Resp.connect(nodes.get(node).server().port())) {
            return resp.command(words);
        }
    }

    private Pod launch(String name) {
        return Environments.launchPod(name, Environments.on(name, nodes.get(0).server()), Map.of(
                "quarkus.redis.client-type", "cluster",
                "quarkus.redis.hosts", "rediss://" + name(0) + ":" + nodes.get(0).tlsPort(),
                "quarkus.redis.tls-configuration-name", "redis",
                "quarkus.tls.redis.trust-store.pem.certs", bundle.toString(),
                "jdk.net.hosts.file", hosts.toString(),
                "rush.deadline", "PT3S"));
    }

    @Test
    @DisplayName("Announced host names are verified, also those learnt from the cluster")
    void learntHostNamesAreVerified() {
        try (Pod pod = launch("tls-cluster")) {
            pod.awaitReady();
            Set<Integer> masters = new HashSet<>();
            for (int i = 0; masters.size() < MASTERS; i++) {
                String sale = "tls-" + i;
                if (masters.add(new Partitions(64).of(sale).slot() * MASTERS / SLOTS)) {
                    assertThat(pod.api().asOperator().put("/v1/sales/" + sale,
                            "{\"items\":[{\"sku\":\"x\",\"total\":1}]}").status()).isEqualTo(201);
                    assertThat(pod.api().as("u").post("/v1/sales/" + sale + "/purchases",
                            "{\"items\":[{\"sku\":\"x\"}]}").status()).isEqualTo(201);
                }
            }
        }
    }

    @Test
    @DisplayName("A learnt node whose certificate names another host is refused")
    void learntNodeWithCertificateForAnotherHostIsRefused() {
        // The third node poses as the second one, which its certificate does not name.
        announce(2, "cluster-announce-hostname", name(1));
        try (Pod pod = launch("tls-cluster-poser")) {
            awaitCause(pod, "matching " + name(1));
        } finally {
            announce(2, "cluster-announce-hostname", name(2));
        }
    }

    @Test
    @DisplayName("Announced addresses are refused if certificates name hosts; the log says so")
    void announcedAddressesAreRefusedAndLogged() {
        for (int i = 0; i < MASTERS; i++) {
            announce(i, "cluster-preferred-endpoint-type", "ip");
        }
        try (Pod pod = launch("tls-cluster-addresses")) {
            awaitCause(pod, "matching IP address 127.0.0.1");
            awaitCause(pod, "cluster-preferred-endpoint-type");
            assertThat(pod.ready()).isFalse();
        } finally {
            for (int i = 0; i < MASTERS; i++) {
                announce(i, "cluster-preferred-endpoint-type", "hostname");
            }
        }
    }

    /** Changes a setting of a node, and waits until all nodes know it. */
    private void announce(int node, String setting, String value) {
        command(node, "CONFIG", "SET", setting, value);
        if (setting.endsWith("hostname")) {
            Await.until("all nodes know " + value, SOON, () -> {
                String id = (String) command(node, "CLUSTER", "MYID");
                for (int i = 0; i < MASTERS; i++) {
                    if (((String) command(i, "CLUSTER", "NODES")).lines().noneMatch(line ->
                            line.startsWith(id) && line.contains("," + value))) {
                        return false;
                    }
                }
                return true;
            });
        }
    }

    private static void awaitCause(Pod pod, String cause) {
        Await.until("the log says " + cause, SOON, () -> pod.log().lines()
                .anyMatch(line -> line.contains("WARN") && line.contains(cause)), pod::log);
    }
}
