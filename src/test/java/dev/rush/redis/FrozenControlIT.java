package dev.rush.redis;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedRedis;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** I9: an operator's call with an unknown outcome is decided by its deadline. */
class FrozenControlIT {

    private static final String RAIN = "/v1/rains/frozen";

    @Test
    @DisplayName("A frozen Redis that resumes after the deadline makes no change")
    void frozenRedisMakesNoChangeAfterTheDeadline() {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            Environment environment = Environments.on("frozen-control", redis);
            try (Pod pod = Environments.startPod("frozen-control", environment,
                    Map.of("rush.deadline", "PT2S"))) {
                TestSale sale = TestSale.unknown(environment, pod.api());
                sale.prepare("apple:10:0", "");
                TestSale closing = TestSale.unknown(environment, pod.api());
                closing.prepare("apple:10:0", "");
                TestSale other = TestSale.unknown(environment, pod.api());
                Api operator = pod.api().asOperator();

                redis.pause();
                List<CompletableFuture<Answer>> calls = List.of(
                        operator.postAsync(sale.path() + "/pause", null),
                        operator.postAsync(closing.path() + "/close", null),
                        operator.callAsync("PATCH", sale.path() + "/items/apple", "{\"total\":5}"),
                        operator.callAsync("PUT", "/v1/blocklist/711", null),
                        operator.callAsync("PUT", other.path(),
                                TestSale.definition("apple:10:0", "")),
                        operator.callAsync("PUT", RAIN,
                                "{\"envelopes\":{\"amounts\":[1]}}"));
                calls.forEach(call -> refused(call.join(), "outcome-unknown"));
                redis.resume();
                // Redis handles what waits on open connections before it answers on a new one.
                sale.redis("PING");

                is(201, sale.buy("711", "apple"));
                assertThat(sale.hash("stock").get("apple:total")).isEqualTo("10");
                is(201, closing.buy("711", "apple"));
                refused(other.view(), "unknown-sale");
                refused(pod.api().get(RAIN), "unknown-rain");
                is(200, sale.control("pause"));
                refused(sale.buy("712", "apple"), "paused");
            }
        }
    }
}
