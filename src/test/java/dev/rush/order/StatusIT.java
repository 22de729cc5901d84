package dev.rush.order;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Payment and expiry, and changes that begin in one store and end in the other. */
class StatusIT {
    private static LedgerScene scene;
    private static Pod pod;
    private static Api api;

    @BeforeAll
    static void start() {
        scene = new LedgerScene("status");
        pod = scene.pod("status");
        api = pod.api();
    }

    @AfterAll
    static void stop() {
        pod.close();
        scene.close();
    }

    private static TestSale sale(String items, String more) {
        TestSale sale = TestSale.unknown(scene.environment(), api);
        sale.prepare(items, more);
        return sale;
    }

    private static String confirmPath(TestSale sale, String order) {
        return sale.path() + "/orders/" + order + "/confirm";
    }

    @Test
    @DisplayName("R1: the buyer confirms a reserved order for good; another user cannot")
    void paidOrderIsConfirmedForGood() {
        TestSale sale = sale("apple:10:1", "'paymentWindow':'PT1H'");
        String order = sale.bought("711", "apple");
        sale.bought("713", "apple");
        scene.awaitOrders(sale.id(), "reserved", 2);
        refused(api.as("712").post(confirmPath(sale, order)), "unknown-order");
        assertThat(is(200, api.as("711").post(confirmPath(sale, order))).body()
                .path("status").asText()).isEqualTo("confirmed");
        is(200, api.asOperator().post(confirmPath(sale, order)));
        scene.sql("UPDATE reservations SET pay_by_ms = (extract(epoch FROM now()) * 1000)::bigint"
                + " - 1000 WHERE sale = '" + sale.id() + "'");
        scene.awaitOrders(sale.id(), "expired", 1);
        assertThat(is(200, api.as("711").get(sale.path() + "/orders/" + order)).body()
                .path("status").asText()).isEqualTo("confirmed");
        Await.until("the other's unit is back", LedgerScene.SOON, () -> sale.left("apple") == 9);
    }

    @Test
    @DisplayName("While the ledger may lack orders, one that no store finds is 503, not 404")
    void missingOrderIsUnavailableWhileTheLedgerIsBehind() {
        TestSale sale = sale("apple:10:1", "'paymentWindow':'PT1H'");
        sale.bought("711", "apple");
        scene.awaitOrders(sale.id(), "reserved", 1);
        String order = UUID.randomUUID().toString();
        String path = sale.path() + "/orders/" + order;
        scene.sql(behind(sale, "'infinity'"));
        refused(api.asOperator().get(path), "unavailable");
        refused(api.asOperator().post(path + "/confirm"), "unavailable");
        is(202, api.asOperator().post(sale.path() + "/returns", "{\"order\":\"" + order + "\"}"));
        assertThat(api.asOperator().get(path + "?user=711").word()).isEqualTo("unknown-order");
        scene.sql(behind(sale, "NULL"));
        refused(api.asOperator().get(path), "unknown-order");
        refused(api.asOperator().post(path + "/confirm"), "unknown-order");
    }

    private static String behind(TestSale sale, String since) {
        return "UPDATE partitions SET behind_since = " + since + " WHERE partition = "
                + LedgerScene.partition(sale.id()).index();
    }

    @Test
    @DisplayName("R1: a user who let unpaidHolds reservations expire reserves nothing more; "
            + "returned ones do not count")
    void unpaidReservationsAreBounded() {
        TestSale sale = sale("apple:10:0", "'paymentWindow':'PT5S','unpaidHolds':1");
        String back = sale.bought("711", "apple");
        scene.awaitOrders(sale.id(), "reserved", 1);
        is(200, api.as("711").post(sale.path() + "/returns", "{\"order\":\"" + back + "\"}"));
        sale.bought("711", "apple");
        scene.awaitOrders(sale.id(), "expired", 1);
        Await.until("the units are back", LedgerScene.SOON, () -> sale.left("apple") == 10);

        JsonNode refusal = refused(sale.buy("711", "apple"), "limit-reached").body();
        assertThat(refusal.path("bound").asText()).isEqualTo("holds");
        assertThat(refusal.path("limit").asLong()).isEqualTo(1);
        sale.bought("712", "apple");
    }

    @Test
    @DisplayName("R1, R5, I12: an unpaid order expires, its units and its limit return "
            + "once, and sell again")
    void unpaidOrderExpiresAndItsUnitsAreSoldAgain() {
        TestSale sale = sale("apple:2:2", "'paymentWindow':'PT6S'");
        JsonNode placed = is(201, sale.buy("711", "apple:2")).body();
        String order = placed.path("order").asText();
        refused(sale.buy("712", "apple"), "sold-out");
        scene.awaitOrders(sale.id(), "expired", 1);
        assertThat(Instant.now()).isAfter(Instant.parse(placed.path("payBy").asText()));
        Await.until("the units are back", Duration.ofSeconds(2), () -> sale.left("apple") == 2);
        refused(api.as("711").post(confirmPath(sale, order)), "order-expired");
        String again = sale.bought("711", "apple:2");
        scene.awaitOrders(sale.id(), "reserved", 1);
        is(200, api.as("711").post(confirmPath(sale, again)));

        // A repeated credit changes nothing, as when the mark was lost and the script repeated.
        scene.sql("INSERT INTO credits (partition, since, order_id, month, step, expired, actor,"
                + " sale, user_id, lines) SELECT partition, 'epoch', id, month, 1, true,"
                + " 'service:expiry', sale, user_id, lines FROM orders WHERE id = '" + order + "'");
        Await.until("the credit is repeated", LedgerScene.SOON, () -> scene.count(
                "SELECT count(*) FROM credits WHERE order_id = '" + order + "'") == 0);
        assertThat(sale.left("apple")).isZero();
        assertThat(scene.count("SELECT sold FROM items WHERE sale = '" + sale.id() + "'"))
                .isEqualTo(2);
    }

    @Test
    @DisplayName("I12: when confirmation and expiry race, exactly one wins, in both stores")
    void confirmAndExpireExcludeEachOther() {
        TestSale sale = sale("apple:60:0", "'paymentWindow':'PT2S'");
        List<String> orders = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            orders.add(sale.bought("user" + i, "apple"));
        }
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        Await.until("the ledger has all orders", LedgerScene.SOON, () -> scene.count(
                "SELECT count(*) FROM order_states WHERE sale = '" + sale.id() + "'") == 60);
        Await.until("the first are due", LedgerScene.SOON, () -> scene.count(
                "SELECT count(*) FROM order_states WHERE sale = '" + sale.id() + "' AND pay_by_ms"
                        + " < 1000 * extract(epoch FROM now()) + 200") > 0);
        for (String order : orders) {
            answers.add(api.asOperator().postAsync(confirmPath(sale, order), null));
            Await.sleep(12);
        }
        long confirmed = answers.stream().map(CompletableFuture::join).filter(answer -> {
            assertThat(answer.status() == 200 || answer.word().equals("order-expired"))
                    .as("%s", answer).isTrue();
            return answer.status() == 200;
        }).count();
        scene.awaitOrders(sale.id(), "expired", 60 - confirmed);
        assertThat(scene.orders(sale.id(), "confirmed")).isEqualTo(confirmed);
        Await.until("the others' units are back", LedgerScene.SOON,
                () -> sale.left("apple") == 60 - confirmed);
        assertThat(scene.count("SELECT sold FROM items WHERE sale = '" + sale.id() + "'"))
                .isEqualTo(confirmed);
    }

    @Test
    @DisplayName("P10: a retry finishes a preparation, wherever it was cut off")
    void preparingThatWasCutOffIsFinishedByARetry() {
        TestSale sale = sale("apple:10:1", "");
        String definition = TestSale.definition("apple:10:1", "");
        String where = " WHERE sale = '" + sale.id() + "'";
        // After the ledger's first step: Redis knows nothing.
        scene.redis("DEL", sale.key("conf"), sale.key("stock"));
        scene.sql("UPDATE sales SET state = 'preparing', release = NULL" + where);
        is(201, api.asOperator().put(sale.path(), definition));
        assertThat(sale.left("apple")).isEqualTo(10);

        // After Redis holds the stock back, before the ledger says that it may be released.
        scene.redis("DEL", sale.key("stock"));
        scene.redis("HSET", sale.key("conf"), "loading", "one");
        scene.sql("UPDATE sales SET state = 'preparing', release = NULL" + where);
        refused(sale.buy("711", "apple"), "not-loaded");
        is(201, api.asOperator().put(sale.path(), definition));
        assertThat(scene.sql("SELECT release FROM sales" + where)).isEqualTo("one");

        // After the ledger has said so, before Redis releases it.
        scene.redis("DEL", sale.key("stock"));
        scene.redis("HSET", sale.key("conf"), "loading", "one");
        is(201, api.asOperator().put(sale.path(), definition));
        is(200, api.asOperator().put(sale.path(), definition));
        assertThat(sale.left("apple")).isEqualTo(10);
        refused(api.asOperator().put(sale.path(), TestSale.definition("apple:11:1", "")),
                "sale-exists");
    }

    @Test
    @DisplayName("I14, P10: a sale that Redis lost is not-loaded, and preparing does not "
            + "refill it")
    void saleThatRedisLostIsNotLoaded() {
        TestSale sale = sale("apple:10:1", "");
        String order = sale.bought("711", "apple");
        scene.awaitOrders(sale.id(), "confirmed", 1);
        scene.redis("DEL", sale.key("conf"), sale.key("stock"),
                sale.key("buyers"));
        Await.sleep(300);
        refused(sale.buy("712", "apple"), "not-loaded");
        refused(sale.view(), "not-loaded");
        String definition = TestSale.definition("apple:10:1", "");
        refused(api.asOperator().put(sale.path(), definition), "not-loaded");
        // A preparation from before the loss that arrives late releases nothing either.
        scene.redis("HSET", sale.key("conf"), "definition", "x", "loading", "late");
        refused(api.asOperator().put(sale.path(), definition), "not-loaded");
        assertThat(scene.redis("EXISTS", sale.key("stock"))).isEqualTo(0L);
        is(200, api.as("711").get(sale.path() + "/orders/" + order));
    }

    @Test
    @DisplayName("P10, P11: a retry finishes a change of a total that was cut off; a "
            + "later change stays")
    void totalThatWasCutOffIsFinishedByARetry() {
        TestSale sale = sale("apple:100:0", "");
        String where = " WHERE sale = '" + sale.id() + "'";
        sale.bought("711", "apple:10");
        scene.awaitOrders(sale.id(), "confirmed", 1);
        // Raised in the ledger, but not in Redis.
        scene.sql("UPDATE items SET total = 150, version = version + 1" + where);
        is(200, sale.total("apple", 150));
        assertThat(sale.left("apple")).isEqualTo(140);
        // Lowered in Redis, but not in the ledger.
        long version = scene.count("UPDATE items SET version = version + 1" + where
                + " RETURNING version");
        scene.redis("HSET", sale.key("stock"), "apple:total", "80", "apple:version",
                Long.toString(version));
        is(200, sale.total("apple", 80));
        assertThat(scene.count("SELECT total FROM items" + where)).isEqualTo(80);
        assertThat(sale.left("apple")).isEqualTo(70);
        refused(sale.total("apple", 9), "below-ordered");
        assertThat(scene.count("SELECT total FROM items" + where)).isEqualTo(80);
        // A later change has reached Redis already: this one must not undo it.
        scene.redis("HSET", sale.key("stock"), "apple:version", "1000");
        is(200, sale.total("apple", 90));
        assertThat(sale.hash("stock")).containsEntry("apple:total", "80");
    }
}
