package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.dev.Ports;
import dev.rush.testing.Await;
import dev.rush.testing.Pod;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * S3: a pod that cannot use Redis stays alive and names the cause at once, in its log and in its
 * readiness, without the password.
 */
class RedisCauseIT {

    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final String SECRET = "not-the-password";

    @Test
    void podWithoutRedisIsStartedAndNotReadyAndNamesTheCause() {
        try (EmbeddedRedis redis = EmbeddedRedis.start("--requirepass", "units")) {
            String host = "127.0.0.1:" + redis.port();
            try (Pod unreachable = launch("cause-unreachable", "redis://127.0.0.1:" + Ports.free());
                    Pod intruder = launch("cause-password", "redis://:" + SECRET + "@" + host)) {
                assertNames(unreachable, "Connection refused");
                assertNames(intruder, "WRONGPASS");
                assertThat(intruder.log()).doesNotContain(SECRET);
            }
        }
    }

    private static Pod launch(String name, String hosts) {
        return Pod.launch(name, Map.of("quarkus.redis.hosts", hosts));
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
