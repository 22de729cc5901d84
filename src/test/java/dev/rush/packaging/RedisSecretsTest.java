package dev.rush.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rush.testing.Await;
import dev.rush.testing.Command;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Redis pods use the passwords and certificates of their Secrets, and reload changed ones. */
class RedisSecretsTest extends OnRedisPods {

    /** Each test starts pods with the Secrets that it needs. */
    @Override
    @BeforeEach
    void start() {
    }

    @Test
    void changedPasswordsApplyWithoutARestart() {
        pods = RedisPods.start(folder);
        String runId = field("redis-3", "run_id");

        Kustomize.write(folder.resolve("password"), "banana\napple\n");
        Kustomize.write(folder.resolve("rush-password"), "plum\npear\n");

        for (String user : List.of("default:banana", "default:apple", "rush:plum", "rush:pear")) {
            Await.until(user + " is accepted", SOON, () -> accepts("redis-3", user));
        }
        assertThat(accepts("redis-3", "rush:apple")).isFalse();
        Await.until("replication uses the new password", SOON, () ->
                pods.cli("redis-3", "config", "get", "masterauth").endsWith("banana"));
        assertThat(field("redis-3", "run_id")).isEqualTo(runId);
    }

    @Test
    void nodeWithoutAPasswordDoesNotStart() {
        Kustomize.write(folder.resolve("password"), "\n");
        Command start = Command.attempt(Map.of("REDIS_AUTH", folder.resolve("password").toString(),
                "REDIS_TMP", folder.toString(), "REDIS_DATA", folder.toString(),
                "POD_NAME", "redis-0", "POD_IP", "127.77.0.1", "REDIS_SERVICE", "redis",
                "REDIS_NODES", "6"), "sh", "k8s/redis/scripts/start.sh");
        assertThat(start.status()).isEqualTo(1);
        assertThat(start.output()).contains("the first line of", "is empty");
    }

    @Test
    void nodesFormAClusterOverTlsOnlyAndReloadANewCertificate() {
        assumeTrue(Command.isInstalled("openssl"), "openssl is not on PATH");
        Path certificates = folder.resolve("tls");
        Certificates.createAuthority(certificates);
        Certificates.issue(certificates, hosts());
        pods = RedisPods.start(folder, certificates);

        Command create = pods.create();
        assertThat(create.status()).as(create.output()).isZero();
        pods.awaitReady(SOON);
        assertThat(pods.cli("redis-0", "cluster", "slots")).contains("redis-1.redis");
        assertThat(Command.attempt(Map.of("REDISCLI_AUTH", "apple"), "timeout", "5", "redis-cli",
                "-h", pods.address("redis-0"), "-p", String.valueOf(pods.port()), "ping").output())
                .as("without TLS").doesNotContain("PONG");

        String before = Certificates.presentedBy(pods.address("redis-0"), pods.port());
        Certificates.issue(certificates, hosts());
        Await.until("the new certificate is presented", SOON, () -> {
            String presented = Certificates.presentedBy(pods.address("redis-0"), pods.port());
            return !presented.isEmpty() && !presented.equals(before);
        });
        pods.awaitReady(SOON);
    }

    private static List<String> hosts() {
        return RedisPods.names().stream().map(name -> name + ".redis").toList();
    }

    private boolean accepts(String pod, String credentials) {
        String[] words = credentials.split(":");
        return Command.attempt(Map.of(), "redis-cli", "-h", pods.address(pod),
                "-p", String.valueOf(pods.port()), "--user", words[0], "--pass", words[1],
                "--no-auth-warning", "ping").output().contains("PONG");
    }

    private String field(String pod, String name) {
        return pods.cli(pod, "info", "server").lines().map(String::strip)
                .filter(line -> line.startsWith(name + ":")).findFirst().orElse("");
    }
}
