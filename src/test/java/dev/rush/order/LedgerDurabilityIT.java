package dev.rush.order;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.dev.EmbeddedLedger;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.TestRain;
import dev.rush.testing.TestSale;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * D1: purchases and grabs under {@code ledger} while PostgreSQL decides, rejects, is frozen, or its
 * decisions cannot be read.
 */
class LedgerDurabilityIT {
    private static final String AWAITED = "'durability':'ledger'";
    private static EmbeddedLedger ledger;
    private static LedgerScene scene;
    private static Pod writer;
    private static Pod pod;

    @BeforeAll
    static void start() {
        ledger = EmbeddedLedger.start();
        scene = new LedgerScene("awaited", ledger.freshDatabase());
        List<Pod> pods = Environments.startTogether(
                () -> scene.pod("awaited-writer", "rush.role", "writer"),
                () -> scene.pod("awaited-api", "rush.role", "api", "rush.deadline", "PT4S"));
        writer = pods.get(0);
        pod = pods.get(1);
    }

    @AfterAll
    static void stop() {
        pod.close();
        writer.close();
        scene.close();
        ledger.close();
    }

    /** Prepares a sale, and waits until its writer knows it. */
    private static TestSale sale(String items, String more) {
        TestSale sale = TestSale.unknown(scene.environment(), pod.api());
        sale.prepare(items, AWAITED + more);
        awaitSells(sale);
        return sale;
    }

    private static void awaitSells(TestSale sale) {
        Await.until("the sale sells", LedgerScene.SOON,
                () -> sale.buy(fresh("u"), "apple").status() == 201, () -> "" + writer.log());
    }

    private static String status(Answer order) {
        return order.body().path("status").asText();
    }

    private static String order(Answer answer) {
        return answer.body().path("order").asText();
    }

    private static String stored(String order) {
        return scene.sql("SELECT status FROM order_states WHERE id = '" + order + "'");
    }

    @Test
    @DisplayName("A purchase is answered as confirmed or reserved once PostgreSQL has it")
    void answeredOnceStored() {
        TestSale sale = sale("apple:100:0", "");
        TestSale window = sale("apple:100:0", ",'paymentWindow':'PT1H'");
        long before = scene.orders(sale.id(), "confirmed");
        for (int i = 0; i < 20; i++) {
            Answer confirmed = is(201, sale.buy("711", "apple", "key-" + i));
            assertThat(stored(order(confirmed))).isEqualTo("confirmed");
            assertThat(status(confirmed)).isEqualTo("confirmed");
            Answer reserved = is(201, window.buy(fresh("u"), "apple"));
            assertThat(stored(order(reserved))).isEqualTo("reserved");
            assertThat(status(reserved)).isEqualTo("reserved");
        }
        Answer replayed = is(201, sale.buy("711", "apple", "key-7"));
        assertThat(replayed.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(status(replayed)).isEqualTo("confirmed");
        assertThat(scene.orders(sale.id(), "confirmed")).isEqualTo(before + 20);
        assertThat(pod.metric("rush_ledger_waiting")).isZero();
    }

    @Test
    @DisplayName("A pod without PostgreSQL sells what the writer's PostgreSQL confirms")
    void soldWithoutTheLedger() {
        TestSale sale = sale("apple:100:0", "");
        try (Pod blind = scene.pod("awaited-blind", "rush.role", "api",
                "quarkus.datasource.jdbc.url", "jdbc:postgresql://127.0.0.1:1/none")) {
            TestSale same = sale.through(blind.api());
            Answer confirmed = is(201, same.buy("711", "apple", "key-1"));
            assertThat(status(confirmed)).isEqualTo("confirmed");
            assertThat(stored(order(confirmed))).isEqualTo("confirmed");
            // Only the ledger knows an order that has left the stream.
            refused(same.buy("711", "apple", "key-1"), "outcome-unknown");
            assertThat(order(is(201, sale.buy("711", "apple", "key-1"))))
                    .isEqualTo(order(confirmed));
        }
    }

    @Test
    @DisplayName("While PostgreSQL is frozen: 504 with the key, others 503; then the same order")
    void frozen() {
        TestSale sale = sale("apple:100:0", "");
        CompletableFuture<Answer> waiting;
        ledger.pause();
        try {
            Answer unknown = refused(sale.buy("711", "apple", "key-1"), "outcome-unknown");
            assertThat(unknown.body().path("idempotencyKey").asText()).isEqualTo("key-1");
            long left = sale.left("apple");
            waiting = sale.buyAsync("712", "apple");
            Await.until("a purchase waits", LedgerScene.SOON, () -> sale.left("apple") == left - 1);
            refused(sale.buy("713", "apple"), "unavailable");
            assertThat(sale.left("apple")).isEqualTo(left - 1);
        } finally {
            ledger.resume();
        }
        assertThat(waiting.join().status()).isIn(201, 504);
        Await.until("the key gets its order", LedgerScene.SOON,
                () -> sale.buy("711", "apple", "key-1").status() == 201);
        Answer replayed = is(201, sale.buy("711", "apple", "key-1"));
        assertThat(replayed.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(status(replayed)).isEqualTo("confirmed");
        assertThat(sale.orders("711")).hasSize(1);
        assertThat(scene.sql("SELECT string_agg(id::text, ' ') FROM orders WHERE sale = '"
                + sale.id() + "' AND user_id = '711'")).isEqualTo(order(replayed));
        awaitSells(sale);
    }

    @Test
    @DisplayName("While PostgreSQL is frozen, a key used with another body: 504, then key-reused")
    void frozenForReusedKey() {
        TestSale sale = sale("apple:100:0", "");
        is(201, sale.buy("711", "apple", "key-1"));
        ledger.pause();
        try {
            refused(sale.buy("711", "apple:2", "key-1"), "outcome-unknown");
        } finally {
            ledger.resume();
        }
        Await.until("the key is refused", LedgerScene.SOON,
                () -> sale.buy("711", "apple:2", "key-1").word().equals("key-reused"));
        awaitSells(sale);
    }

    @Test
    @DisplayName("All calls under one key are answered once the order is decided")
    void together() throws SQLException {
        TestSale sale = sale("apple:100:0", "");
        List<CompletableFuture<Answer>> answers;
        try (Connection held = scene.holdWriters(sale.id())) {
            long left = sale.left("apple");
            answers = List.of(pod.api().as("711").key("key-1").postAsync(
                    sale.purchases(), TestSale.body("apple")), pod.api().as("711").key("key-1")
                    .postAsync(sale.purchases(), TestSale.body("apple")));
            Await.until("a purchase waits", LedgerScene.SOON, () -> sale.left("apple") < left);
            held.rollback();
        }
        for (CompletableFuture<Answer> answer : answers) {
            assertThat(status(is(201, answer.join()))).isEqualTo("confirmed");
        }
        assertThat(order(answers.get(0).join())).isEqualTo(order(answers.get(1).join()));
    }

    @Test
    @DisplayName("An order that the ledger refuses is rejected: its purchase, replay, confirmation "
            + "and return say so, with the order")
    void rejected() {
        TestSale sale = sale("apple:100:0", ",'paymentWindow':'PT1H'");
        scene.sql("UPDATE items SET total = sold WHERE sale = '" + sale.id() + "'");
        String order = order(refused(sale.buy("711", "apple", "key-1"), "rejected"));
        assertThat(stored(order)).isEqualTo("rejected");
        for (Answer again : List.of(sale.buy("711", "apple", "key-1"),
                pod.api().asOperator().post(sale.path() + "/orders/" + order + "/confirm"),
                pod.api().as("711").post(sale.path() + "/returns",
                        "{\"order\":\"" + order + "\"}"),
                pod.api().as("711").post(sale.path() + "/returns",
                        "{\"idempotencyKey\":\"key-1\"}"))) {
            assertThat(order(refused(again, "rejected"))).isEqualTo(order);
        }
        assertThat(status(is(200, pod.api().as("711").get(sale.path() + "/orders/" + order))))
                .isEqualTo("rejected");
    }

    @Test
    @DisplayName("I7: a key that Redis lost is answered with its order in the ledger")
    void firstAnswerHolds() {
        TestSale sale = sale("apple:100:0", "");
        Answer first = is(201, sale.buy("711", "apple", "key-1"));
        sale.onKey(sale.keyOf("711", "buyers"), "HDEL", "711");
        for (int i = 0; i < 2; i++) {
            Answer again = is(201, sale.buy("711", "apple", "key-1"));
            assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
            assertThat(again.body()).isEqualTo(first.body());
        }
        sale.onKey(sale.keyOf("711", "buyers"), "HDEL", "711");
        for (int i = 0; i < 2; i++) {
            refused(sale.buy("711", "apple:2", "key-1"), "key-reused");
            refused(sale.buy("711", "apple:3", "key-1"), "key-reused");
            assertThat(is(201, sale.buy("711", "apple", "key-1")).body()).isEqualTo(first.body());
        }
    }

    @Test
    @DisplayName("I7: a rejected order whose key Redis lost is still the answer to its replay")
    void firstRejectionHolds() {
        TestSale sale = sale("apple:100:0", "");
        scene.sql("UPDATE items SET total = sold WHERE sale = '" + sale.id() + "'");
        String first = order(refused(sale.buy("711", "apple", "key-1"), "rejected"));
        sale.onKey(sale.keyOf("711", "buyers"), "HDEL", "711");
        sale.onKey(sale.keyOf("711", "buyers"), "HSET", "711", "r " + fresh("o")
                + " key-1 = apple:2 99 1 0 1\n");
        assertThat(order(refused(sale.buy("711", "apple", "key-1"), "rejected")))
                .isEqualTo(first);
    }

    @Test
    @DisplayName("If decisions cannot be read: 504, and the replay reads the ledger")
    void unread() {
        TestSale sale = sale("apple:100:0", "");
        scene.redis("ACL", "SETUSER", "default", "-xread");
        try {
            Await.until("no decision is read", LedgerScene.SOON, () ->
                    sale.buy(fresh("u"), "apple").word().equals("outcome-unknown"));
            refused(sale.buy("711", "apple", "key-1"), "outcome-unknown");
            scene.awaitDrained(sale.id());
            assertThat(status(is(201, sale.buy("711", "apple", "key-1")))).isEqualTo("confirmed");
        } finally {
            scene.redis("ACL", "SETUSER", "default", "+xread");
        }
        awaitSells(sale);
        assertThat(sale.orders("711")).hasSize(1);
    }

    @Test
    @DisplayName("Grabs are confirmed or rejected too, and replayed as such")
    void grabs() {
        TestRain rain = TestRain.unknown(Environments.with(pod, scene.environment()));
        is(201, rain.prepare(TestRain.listed(AWAITED, 5, 6, 7, 8)));
        assertThat(rain.view().body().path("durability").asText()).isEqualTo("ledger");
        Await.until("an envelope is grabbed", LedgerScene.SOON,
                () -> rain.grab(fresh("u"), "key").status() == 201, () -> "" + writer.log());
        Answer grabbed = is(201, rain.grab("711", "key-1"));
        assertThat(status(grabbed)).isEqualTo("confirmed");
        assertThat(scene.count("SELECT count(*) FROM grabs WHERE id = '"
                + grabbed.body().path("grab").asText() + "'")).isEqualTo(1);
        JsonNode replayed = is(201, rain.grab("711", "key-1")).body();
        assertThat(replayed).isEqualTo(grabbed.body());

        scene.sql("UPDATE rains SET limit_per_user = 0 WHERE rain = '" + rain.id() + "'");
        String refused = order(refused(rain.grab("712", "key-1"), "rejected"));
        assertThat(rain.grabs("712").at("/0/status").asText()).isEqualTo("rejected");
        assertThat(order(refused(rain.grab("712", "key-1"), "rejected"))).isEqualTo(refused);
    }

    @Test
    @DisplayName("I7: a grab that Redis lost is listed, and the answer to its key")
    void lostGrab() {
        TestRain rain = TestRain.unknown(Environments.with(pod, scene.environment()));
        is(201, rain.prepare(TestRain.listed(AWAITED, 5, 5, 5, 5)));
        Await.until("an envelope is grabbed", LedgerScene.SOON,
                () -> rain.grab(fresh("u"), "key").status() == 201, () -> "" + writer.log());
        Answer first = is(201, rain.grab("711", "key-1"));
        rain.redis("HDEL", rain.key("takers"), "711");
        rain.redis("LPUSH", rain.key("envelopes"), "5");
        rain.redis("HINCRBY", rain.key("conf"), "granted", "-1");
        rain.redis("HINCRBY", rain.key("conf"), "granted_amount", "-5");
        assertThat(rain.grabs("711")).containsExactly(first.body());
        for (int i = 0; i < 2; i++) {
            Answer again = is(201, rain.grab("711", "key-1"));
            assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
            assertThat(again.body()).isEqualTo(first.body());
        }
        assertThat(rain.grabs("711")).hasSize(2).contains(first.body());
    }
}
