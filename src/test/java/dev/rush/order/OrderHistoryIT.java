package dev.rush.order;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.testing.Api;
import dev.rush.testing.Await;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** An order's history, as its buyer and as staff read it. */
class OrderHistoryIT {
    private static LedgerScene scene;
    private static Pod pod;

    @BeforeAll
    static void start() {
        scene = new LedgerScene("order-history");
        pod = scene.pod("order-history");
        scene.awaitLedger(pod);
    }

    @AfterAll
    static void stop() {
        pod.close();
        scene.close();
    }

    private static Api as(String user, String role) {
        return pod.api().as(user).with("X-User-Roles", role);
    }

    private static List<String> steps(JsonNode order) {
        List<String> steps = new ArrayList<>();
        order.path("history").forEach(step -> {
            assertThat(step.path("at").asText()).isNotEmpty();
            steps.add(step.path("kind").asText() + " " + step.path("actor").asText()
                    + (step.has("paymentReference")
                            ? " " + step.path("paymentReference").asText() : ""));
        });
        return steps;
    }

    private static List<String> steps(Api reader, String path) {
        return steps(is(200, reader.get(path + "?history=true")).body());
    }

    @Test
    @DisplayName("A1: an order's history has every step; buyers see no names of staff")
    void everyStepIsShown() {
        TestSale sale = TestSale.unknown(scene.environment(), pod.api());
        sale.prepare("apple:10:0", "'paymentWindow':'PT1H'");
        String order = sale.bought("711", "apple");
        String path = sale.path() + "/orders/" + order;
        scene.awaitOrders(sale.id(), "reserved", 1);
        JsonNode confirmed = is(200, as("pia", "payer").post(path + "/confirm",
                "{\"paymentReference\":\"pay-1\"}")).body();
        assertThat(confirmed.path("paymentReference").asText()).isEqualTo("pay-1");
        is(200, as("olga", "operator").post(sale.path() + "/returns?user=711",
                "{\"order\":\"" + order + "\"}"));
        Await.until("the unit is back", LedgerScene.SOON, () ->
                steps(as("olga", "operator"), path).contains("credited service:credits"));

        assertThat(steps(as("olga", "operator"), path)).containsExactly("accepted buyer:711",
                "reserved service:writer", "confirmed payer:pia pay-1", "returned operator:olga",
                "credited service:credits");
        assertThat(steps(pod.api().as("711"), path)).containsExactly("accepted buyer:711",
                "reserved service", "confirmed payer pay-1", "returned operator",
                "credited service");
        assertThat(steps(as("pia", "payer"), path)).containsExactly("accepted buyer:711",
                "reserved service", "confirmed payer:pia pay-1", "returned operator",
                "credited service");
        JsonNode plain = is(200, pod.api().as("711").get(path + "?history=false")).body();
        assertThat(plain.has("history")).isFalse();
        assertThat(plain.path("paymentReference").asText()).isEqualTo("pay-1");
        refused(pod.api().as("712").get(path + "?history=true"), "unknown-order");
        refused(as("ada", "auditor").get(path + "?history=true"), "unknown-order");
        refused(pod.api().as("711").get(path + "?history=yes"), "invalid-request");
    }

    @Test
    @DisplayName("O6: while only Redis has an order, its history is its purchase")
    void orderInRedisWasAccepted() throws SQLException {
        TestSale sale = TestSale.unknown(scene.environment(), pod.api());
        sale.prepare("apple:10:0", "");
        try (Connection held = scene.holdWriters(sale.id())) {
            JsonNode bought = is(201, sale.buy("711", "apple")).body();
            JsonNode order = is(200, pod.api().as("711").get(sale.path() + "/orders/"
                    + bought.path("order").asText() + "?history=true")).body();
            assertThat(steps(order)).containsExactly("accepted buyer:711");
            assertThat(order.path("history").get(0).path("at")).isEqualTo(bought.path("placedAt"));
            held.rollback();
        }
    }
}
