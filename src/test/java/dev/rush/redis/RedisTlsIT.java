package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rush.testing.Await;
import dev.rush.testing.Certificates;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.TlsRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** S3: TLS to one Redis. Its certificate must come from a trusted authority and name its host. */
class RedisTlsIT {
    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    static Path folder;
    private static Certificates localhost;
    private static Certificates elsewhere;
    private static TlsRedis right;
    private static TlsRedis wrong;
    /** Pods that refuse their Redis; they start together, because that takes seconds. */
    private static Pod elsewherePod;
    private static Pod namedElsewherePod;
    private static Pod unknownPod;

    @BeforeAll
    static void start() {
        boolean supported = TlsRedis.isSupported();
        if (!supported) {
            System.out.println("This redis-server has no TLS: its tests are skipped");
        }
        assumeTrue(supported, "a redis-server with TLS");
        localhost = Certificates.of(folder, "localhost", "dns:localhost");
        elsewhere = Certificates.of(folder, "elsewhere", "dns:elsewhere.rush.test");
        right = TlsRedis.start(localhost);
        wrong = TlsRedis.start(elsewhere);
        elsewherePod = launchInVain("tls-elsewhere", wrong, trusting(elsewhere.certificate()));
        namedElsewherePod = launchInVain("tls-named-elsewhere", wrong, Map.of(
                "quarkus.redis.tls-configuration-name", "redis",
                "quarkus.tls.redis.trust-store.pem.certs", elsewhere.certificate().toString()));
        unknownPod = launchInVain("tls-unknown", right, trusting(elsewhere.certificate()));
    }

    @AfterAll
    static void stop() {
        Stream.of(elsewherePod, namedElsewherePod, unknownPod).filter(Objects::nonNull)
                .forEach(Pod::close);
        Stream.of(right, wrong).filter(Objects::nonNull).forEach(TlsRedis::close);
    }

    private static Pod launch(String name, TlsRedis redis, Map<String, String> trust) {
        Map<String, String> config = new HashMap<>(trust);
        config.put("quarkus.redis.hosts", "rediss://localhost:" + redis.tlsPort());
        return Environments.launchPod(name, Environments.on(name, redis.server()), config);
    }

    /** Launches a pod that answers soon that it cannot use its Redis. */
    private static Pod launchInVain(String name, TlsRedis redis, Map<String, String> trust) {
        Map<String, String> config = new HashMap<>(trust);
        config.put("rush.deadline", "PT3S");
        return launch(name, redis, config);
    }

    private static Map<String, String> trusting(Path bundle) {
        return Map.of("quarkus.redis.tls.trust-certificate-pem", "true",
                "quarkus.redis.tls.trust-certificate-pem.certs", bundle.toString());
    }

    private static void assertSells(Pod pod, String sale) {
        pod.awaitReady();
        assertThat(pod.api().asOperator().put("/v1/sales/" + sale,
                "{\"items\":[{\"sku\":\"x\",\"total\":1}]}").status()).isEqualTo(201);
        assertThat(pod.api().as("u").post("/v1/sales/" + sale + "/purchases",
                "{\"items\":[{\"sku\":\"x\"}]}").status()).isEqualTo(201);
    }

    /** The pod is alive, logs the cause, and sells nothing. */
    private static void assertRefuses(Pod pod, String cause) {
        Await.until("the log names the cause", SOON, () -> pod.log().lines()
                .anyMatch(line -> line.contains("WARN") && line.contains(cause)), pod::log);
        Await.until("it is alive", SOON, () -> pod.health("live") == 200, pod::log);
        assertThat(pod.ready()).isFalse();
        assertThat(pod.api().as("u").post("/v1/sales/any/purchases",
                "{\"items\":[{\"sku\":\"x\"}]}").word()).isEqualTo("unavailable");
    }

    @Test
    @DisplayName("A certificate for this host from a trusted authority is accepted")
    void certificateForThisHostIsAccepted() {
        try (Pod pod = launch("tls", right, trusting(localhost.certificate()))) {
            assertSells(pod, "tls");
        }
    }

    @Test
    @DisplayName("A named TLS configuration works without naming an algorithm")
    void namedTlsConfigurationIsUsed() {
        try (Pod pod = launch("tls-named", right, Map.of(
                "quarkus.redis.tls-configuration-name", "redis",
                "quarkus.tls.redis.trust-store.pem.certs", localhost.certificate().toString()))) {
            assertSells(pod, "tls-named");
        }
    }

    @Test
    @DisplayName("A certificate for another host from a trusted authority is refused")
    void certificateForAnotherHostIsRefused() {
        assertRefuses(elsewherePod, "matching localhost");
    }

    @Test
    @DisplayName("A named TLS configuration without an algorithm refuses another host too")
    void certificateForAnotherHostIsRefusedByNamedTlsConfiguration() {
        assertRefuses(namedElsewherePod, "matching localhost");
    }

    @Test
    @DisplayName("A certificate for this host from an unknown authority is refused")
    void unknownAuthorityIsRefused() {
        assertRefuses(unknownPod, "certification path");
    }

    @Test
    @DisplayName("A host name check that is turned off is logged at every start")
    void unverifiedHostIsLogged() {
        Map<String, String> config = new HashMap<>(trusting(elsewhere.certificate()));
        config.put("quarkus.redis.tls.hostname-verification-algorithm", "NONE");
        try (Pod pod = launch("tls-unverified", wrong, config)) {
            assertSells(pod, "tls-unverified");
            assertThat(pod.log()).contains("REDIS IS NOT VERIFIED");
        }
    }
}
