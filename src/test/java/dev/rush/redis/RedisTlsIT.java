package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * S3: TLS to Redis is configuration. The Redis that the tests carry may be built without TLS, so a
 * proxy ends it in front of Redis.
 */
class RedisTlsIT {

    private static final String PASSWORD = "changeit";

    @TempDir
    Path folder;

    @Test
    void aPodReachesRedisOverTlsWhenItTrustsTheCertificateAndOnlyThen() throws Exception {
        Path store = folder.resolve("store.p12");
        Path certificate = folder.resolve("certificate.pem");
        keytool("-genkeypair", "-alias", "redis", "-keyalg", "RSA", "-validity", "2", "-dname",
                "CN=localhost", "-ext", "SAN=dns:localhost,ip:127.0.0.1", "-storetype", "PKCS12",
                "-keystore", store.toString(), "-storepass", PASSWORD);
        keytool("-exportcert", "-rfc", "-alias", "redis", "-keystore", store.toString(),
                "-storepass", PASSWORD, "-file", certificate.toString());
        Vertx vertx = Vertx.vertx();
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            String host = "rediss://localhost:" + proxy(vertx, store, redis.port());
            Environment environment = Environments.on("tls", redis);
            Map<String, String> trusting = Map.of("quarkus.redis.hosts", host,
                    "quarkus.redis.tls.enabled", "true",
                    "quarkus.redis.tls.trust-certificate-pem", "true",
                    "quarkus.redis.tls.trust-certificate-pem.certs", certificate.toString());
            try (Pod pod = Environments.startPod("tls", environment, trusting)) {
                assertThat(pod.api().asOperator().put("/v1/sales/tls",
                        "{\"items\":[{\"sku\":\"x\",\"total\":1}]}").status()).isEqualTo(201);
                assertThat(pod.api().as("u").post("/v1/sales/tls/purchases",
                        "{\"items\":[{\"sku\":\"x\"}]}").status()).isEqualTo(201);
            }
            try (Pod pod = Environments.launchPod("tls-untrusting", environment,
                    Map.of("quarkus.redis.hosts", host, "quarkus.redis.tls.enabled", "true",
                            "rush.deadline", "PT1S"))) {
                Await.until("the pod is alive", Duration.ofSeconds(30),
                        () -> pod.health("live") == 200);
                assertThat(pod.api().as("u").post("/v1/sales/tls/purchases",
                        "{\"items\":[{\"sku\":\"x\"}]}").word()).isEqualTo("unavailable");
                assertThat(pod.ready()).isFalse();
                Await.until("the log says why", Duration.ofSeconds(30), () -> pod.log()
                        .contains("unable to find valid certification path"), pod::log);
            }
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
    }

    /** Ends TLS and passes the rest on to Redis, both ways. Returns its port. */
    private static int proxy(Vertx vertx, Path store, int redisPort) throws Exception {
        NetServer server = vertx.createNetServer(new NetServerOptions().setHost("localhost")
                .setPort(0).setSsl(true).setKeyCertOptions(
                        new PfxOptions().setPath(store.toString()).setPassword(PASSWORD)));
        server.exceptionHandler(refused -> { });
        server.connectHandler(client -> {
            client.pause();
            vertx.createNetClient().connect(redisPort, "127.0.0.1").onSuccess(redis -> {
                join(client, redis);
                join(redis, client);
                client.resume();
            });
        });
        return server.listen().toCompletionStage().toCompletableFuture()
                .get(10, TimeUnit.SECONDS).actualPort();
    }

    private static void join(NetSocket from, NetSocket to) {
        from.handler(to::write);
        from.closeHandler(closed -> to.close());
    }

    private static void keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        Path log = Files.createTempFile("keytool", ".log");
        Process process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(log.toFile()).start();
        assertThat(process.waitFor()).as(Files.readString(log)).isZero();
        Files.delete(log);
    }
}
