package dev.rush.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * I8, I9 and the outcome classes: a request that was sent to a silent Redis is unknown, one that
 * was not is refused, and one that Redis reads after its deadline takes nothing. One event loop,
 * one request per call, one call in flight and a queue of two make the counts exact.
 */
class OutcomeIT {

    private static final String SALE = "/v1/sales/outcome";
    private static final String ONE = "{\"items\":[{\"sku\":\"x\"}]}";
    private static final String STOCK =
            new Partitions(64).of("outcome").key("sale:outcome:stock");

    @Test
    void silentRedisLeavesOneUnknownOutcomeAndTheOthersAreRefused() {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            Environment environment = Environments.on("outcome", redis);
            try (Pod pod = Environments.startPod("outcome", environment, Map.of(
                    "rush.deadline", "PT1S", "rush.batch.size", "1", "rush.batch.in-flight", "1",
                    "rush.batch.queue", "2", "quarkus.vertx.event-loops-pool-size", "1"))) {
                Api api = pod.api();
                assertThat(api.asOperator().put(SALE, "{\"items\":[{\"sku\":\"x\",\"total\":99}]}")
                        .status()).isEqualTo(201);
                assertThat(api.as("first").post(SALE + "/purchases", ONE).status()).isEqualTo(201);

                redis.pause();
                List<Answer> answers = Api.rush(12, 12,
                        i -> api.as("user-" + i).postAsync(SALE + "/purchases", ONE));
                redis.resume();

                List<Answer> unknown =
                        answers.stream().filter(answer -> answer.status() == 504).toList();
                assertThat(unknown).as("%s", answers).hasSize(1);
                assertThat(unknown.get(0).word()).isEqualTo("outcome-unknown");
                assertThat(answers.stream().filter(answer -> answer.status() != 504))
                        .allSatisfy(answer -> assertThat(answer.word()).isEqualTo("unavailable"));
                assertThat(answers).allSatisfy(
                        answer -> assertThat(answer.header("Retry-After")).isNotNull());
                assertKeyDecides(api, redis, unknown.get(0), answers.indexOf(unknown.get(0)));
            }
        }
    }

    /** Nothing was taken after the deadline; the key in the answer buys once. */
    private static void assertKeyDecides(Api api, EmbeddedRedis redis, Answer unknown, int buyer) {
        String key = unknown.body().path("idempotencyKey").asText();
        assertThat(key).isNotEmpty();
        Await.until("the pod reaches Redis again", Duration.ofSeconds(20),
                () -> api.as("second").post(SALE + "/purchases", ONE).status() != 503);
        assertThat(ordered(redis)).as("the first and the second buyer").isEqualTo("2");
        Api again = api.as("user-" + buyer).key(key);
        Answer bought = again.post(SALE + "/purchases", ONE);
        Answer replayed = again.post(SALE + "/purchases", ONE);
        assertThat(bought.status()).isEqualTo(201);
        assertThat(replayed.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(replayed.body()).isEqualTo(bought.body());
        assertThat(ordered(redis)).isEqualTo("3");
    }

    private static String ordered(EmbeddedRedis redis) {
        try (Resp resp = Resp.connect(redis.port())) {
            return resp.text("HGET", STOCK, "x:ordered");
        }
    }
}
