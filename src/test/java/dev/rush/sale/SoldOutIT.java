package dev.rush.sale;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.order.LedgerPods;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A pod answers sold-out from its cache for {@code rush.view.sold-out}, which is long enough here
 * for two pods to differ.
 */
class SoldOutIT {
    private static final Duration CACHED_FOR = Duration.ofSeconds(5);
    private static final Duration EXPIRED = CACHED_FOR.plusSeconds(10);
    private static LedgerPods pods;

    private final String sale = pods.prepare(
            "\"items\":[{\"sku\":\"apple\",\"total\":2,\"limitPerUser\":0}]");

    @BeforeAll
    static void start() {
        pods = new LedgerPods("sold-out", Map.of("rush.view.sold-out", CACHED_FOR.toString()));
    }

    @AfterAll
    static void stop() {
        pods.close();
    }

    @Test
    @DisplayName("R5: the pod that took a return sells its unit at once, other pods sell it later")
    void returnedUnitIsSoldByBothPods() {
        String first = order(buy(pods.first()));
        String second = order(buy(pods.first()));
        pods.awaitStored(sale, 2);
        refused(buy(pods.first()), "sold-out");
        refused(buy(pods.second()), "sold-out");

        is(200, pods.giveBack(sale, "u", first));
        String third = order(buy(pods.first()));

        is(200, pods.giveBack(sale, "u", second));
        assertThat(pods.stock(sale, "apple:ordered")).isEqualTo(1);
        refused(buy(pods.second()), "sold-out");
        Answer keyed = is(201, pods.second().api().as("u").key("a-key").post(purchases(),
                TestSale.body("apple")));
        assertThat(pods.stock(sale, "apple:ordered")).isEqualTo(2);

        pods.awaitStored(sale, 4);
        is(200, pods.giveBack(sale, "u", third));
        Await.until("the second pod sells what came back through the first", EXPIRED,
                () -> buy(pods.second()).status() == 201);
        // A replay finds its order on a pod that answers sold-out to everyone else.
        Answer replayed = is(201, pods.second().api().as("u").key("a-key").post(purchases(),
                TestSale.body("apple")));
        assertThat(replayed.body()).isEqualTo(keyed.body());
    }

    @Test
    @DisplayName("P11: the pod that raised a total sells the new units at once, other pods later")
    void raisedTotalIsSoldByBothPods() {
        buy(pods.first());
        buy(pods.first());
        refused(buy(pods.first()), "sold-out");
        refused(buy(pods.second()), "sold-out");

        is(200, raise(3));
        order(buy(pods.first()));
        is(200, raise(4));
        refused(buy(pods.second()), "sold-out");
        Await.until("the second pod sells what was added through the first", EXPIRED,
                () -> buy(pods.second()).status() == 201);
    }

    @Test
    @DisplayName("P11: a pause and a resume take effect at once on the pod that got them")
    void pauseTakesEffectOnBothPods() {
        buy(pods.first());
        buy(pods.first());
        refused(buy(pods.first()), "sold-out");
        refused(buy(pods.second()), "sold-out");

        is(200, control("pause"));
        refused(buy(pods.first()), "paused");
        Await.until("the second pod answers paused", EXPIRED,
                () -> buy(pods.second()).word().equals("paused"));
        is(200, control("resume"));
        refused(buy(pods.first()), "sold-out");
        refused(buy(pods.second()), "sold-out");
    }

    private String purchases() {
        return "/v1/sales/" + sale + "/purchases";
    }

    private Answer buy(Pod pod) {
        return pod.api().as("u").post(purchases(), TestSale.body("apple"));
    }

    private static String order(Answer bought) {
        return is(201, bought).body().path("order").asText();
    }

    private Answer raise(int total) {
        return operator().patch("/v1/sales/" + sale + "/items/apple", "{\"total\":" + total + "}");
    }

    private Answer control(String action) {
        return operator().post("/v1/sales/" + sale + "/" + action);
    }

    private static Api operator() {
        return pods.first().api().asOperator();
    }
}
