package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.dev.Ports;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * S3: a pod that cannot use Redis stays alive and names the cause at once, in its log and in its
 * readiness, without the password. It does not report a backlog of 0.
 */
class RedisCauseIT {

    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final String SECRET = "not-the-password";

    @Test
    void podWithoutRedisIsStartedAndNotReadyAndNamesTheCause() {
        try (EmbeddedRedis redis = EmbeddedRedis.start("--requirepass", "units")) {
            String host = "127.0.0.1:" + redis.port();
            try (Pod unreachable = Pod.launch("cause-unreachable", Map.of("rush.role", "api",
                    "rush.orders.sink", "postgres", "quarkus.datasource.jdbc.url",
                    Environments.ledger().freshDatabase(),
                    "quarkus.redis.hosts", "redis://127.0.0.1:" + Ports.free()));
                    Pod intruder = Pod.launch("cause-password", Map.of("quarkus.redis.hosts",
                            "redis://:" + SECRET + "@" + host))) {
                assertNames(unreachable, "Connection refused");
                assertThat(unreachable.metrics()).as("no backlog while it is unknown")
                        .contains("rush_pod", "rush_redis_reachable 0.0")
                        .doesNotContain("rush_ledger_backlog", "rush_ledger_lag_seconds");
                assertNames(intruder, "WRONGPASS");
                assertThat(intruder.log()).doesNotContain(SECRET);
            }
        }
    }

    private static void assertNames(Pod pod, String cause) {
        Await.until(pod + " is started", LIMIT, () -> pod.health("started") == 200, pod::log);
        Await.until(pod + " names its cause", LIMIT,
                () -> redisCheck(pod).contains(cause), () -> pod.healthReport("ready")
                        + pod.log());
        Await.until(pod + " logs its cause", LIMIT, () -> pod.log().lines()
                .anyMatch(line -> line.contains("WARN") && line.contains("No Redis yet")
                        && line.contains(cause)), pod::log);
        assertThat(pod.ready()).isFalse();
        assertThat(pod.healthReport("ready")).doesNotContain(SECRET);
    }

    /** The cause in the check of Redis; other checks that need Redis may name the same one. */
    private static String redisCheck(Pod pod) {
        try {
            for (JsonNode check : new ObjectMapper().readTree(pod.healthReport("ready"))
                    .path("checks")) {
                if (check.path("name").asText().equals("redis reached once")) {
                    return check.path("data").path("cause").asText();
                }
            }
            return "";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
