package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rush.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the Redis pods do with their Secrets: passwords, users and certificates. */
@Tag("slow")
class RedisSecretsTest {
    private static final Duration SOON = Duration.ofSeconds(90);

    @TempDir
    Path folder;

    private RedisPods pods;

    @AfterEach
    void stop() {
        if (pods != null) {
            pods.close();
        }
    }

    @Test
    void changedPasswordsAreTakenOverWithoutARestart() {
        pods = RedisPods.start(folder);
        String run = field("redis-3", "run_id");

        Kustomize.write(folder.resolve("password"), "banana\napple\n");
        Kustomize.write(folder.resolve("rush-password"), "plum\npear\n");

        for (String user : List.of("default:banana", "default:apple", "rush:plum", "rush:pear")) {
            Await.until(user + " is let in", SOON, () -> letsIn("redis-3", user));
        }
        assertThat(letsIn("redis-3", "rush:apple")).isFalse();
        Await.until("replication uses the new one", SOON, () ->
                pods.cli("redis-3", "config", "get", "masterauth").endsWith("banana"));
        assertThat(field("redis-3", "run_id")).isEqualTo(run);
    }

    @Test
    void nodesFormAClusterOverTlsAloneAndTakeOverANewCertificate() {
        assumeTrue(Command.present("openssl"), "openssl is not on PATH");
        Path certificates = folder.resolve("tls");
        Certificates.authority(certificates);
        Certificates.sign(certificates, RedisPods.names().stream().map(n -> n + ".redis").toList());
        pods = RedisPods.start(folder, certificates);

        Command create = pods.create();
        assertThat(create.status()).as(create.output()).isZero();
        pods.awaitReady(SOON);
        assertThat(pods.cli("redis-0", "cluster", "slots")).contains("redis-1.redis");
        assertThat(Command.attempt(Map.of("REDISCLI_AUTH", "apple"), "timeout", "5", "redis-cli",
                "-h", pods.address("redis-0"), "-p", String.valueOf(pods.port()), "ping").output())
                .as("in the clear").doesNotContain("PONG");

        String before = Certificates.shownBy(pods.address("redis-0"), pods.port());
        Certificates.sign(certificates, RedisPods.names().stream().map(n -> n + ".redis").toList());
        Await.until("the new certificate is shown", SOON, () -> {
            String shown = Certificates.shownBy(pods.address("redis-0"), pods.port());
            return !shown.isEmpty() && !shown.equals(before);
        });
        pods.awaitReady(SOON);
    }

    private boolean letsIn(String pod, String user) {
        String[] words = user.split(":");
        return Command.attempt(Map.of(), "redis-cli", "-h", pods.address(pod),
                "-p", String.valueOf(pods.port()), "--user", words[0], "--pass", words[1],
                "--no-auth-warning", "ping").output().contains("PONG");
    }

    private String field(String pod, String name) {
        return pods.cli(pod, "info", "server").lines().map(String::strip)
                .filter(line -> line.startsWith(name + ":")).findFirst().orElse("");
    }
}
