package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** S3: Redis's password and ACL user are configurable; a pod without them reaches nothing. */
class RedisAccessIT {

    @Test
    void podReachesRedisOnlyByPasswordOrAsAUser() {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            try (Resp admin = Resp.connect(redis.port())) {
                admin.command("ACL", "SETUSER", "rush", "on", ">units", "~rush:*", "+@all");
                admin.command("CONFIG", "SET", "requirepass", "secret");
            }
            String host = "127.0.0.1:" + redis.port();
            Environment environment = Environments.on("access", redis);
            try (Pod byPassword = Environments.launchPod("by-password", environment,
                    Map.of("quarkus.redis.hosts", "redis://" + host,
                            "quarkus.redis.password", "secret"));
                    Pod byUser = Environments.launchPod("by-user", environment,
                            Map.of("quarkus.redis.hosts", "redis://rush:units@" + host));
                    Pod byName = Environments.launchPod("by-name", environment,
                            Map.of("quarkus.redis.hosts", "redis://rush@" + host,
                                    "quarkus.redis.password", "units"))) {
                sells(byPassword, "by-password");
                sells(byUser, "by-user");
                sells(byName, "by-name");
            }
            try (Pod pod = Environments.launchPod("no-access", environment,
                    Map.of("quarkus.redis.hosts", "redis://" + host,
                            "rush.deadline", "PT1S"))) {
                Await.until("the pod is alive", Duration.ofSeconds(30),
                        () -> pod.health("live") == 200);
                Await.sleep(1000);
                assertThat(pod.ready()).isFalse();
                assertThat(pod.api().as("u").post("/v1/sales/by-user/purchases",
                        "{\"items\":[{\"sku\":\"x\"}]}").word()).isEqualTo("unavailable");
            }
        }
    }

    private static void sells(Pod pod, String sale) {
        pod.awaitReady();
        assertThat(pod.api().asOperator().put("/v1/sales/" + sale,
                "{\"items\":[{\"sku\":\"x\",\"total\":1}]}").status()).isEqualTo(201);
        assertThat(pod.api().as("u").post("/v1/sales/" + sale + "/purchases",
                "{\"items\":[{\"sku\":\"x\"}]}").status()).isEqualTo(201);
    }
}
