package dev.rush.order;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
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
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The promises of the writer and the ledger's guards, with entries that only a fault makes. */
class LedgerIT {
    private static LedgerScene scene;
    private static Pod pod;
    private static Api api;

    @BeforeAll
    static void start() {
        scene = new LedgerScene("ledger");
        pod = scene.pod("ledger");
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

    @Test
    @DisplayName("O6, O1, I5: an order can be read at once, is stored once, and then "
            + "leaves the stream")
    void orderIsReadAtOnceAndConfirmedOnceTheLedgerHasIt() {
        TestSale sale = sale("apple:100:5", "");
        String first = sale.bought("711", "apple:2");
        String second = sale.bought("711", "apple:1");
        is(200, api.as("711").get(sale.path() + "/orders/" + first));
        scene.awaitOrders(sale.id(), "confirmed", 2);
        scene.awaitDrained(sale.id());

        JsonNode order = is(200, api.as("711").get(sale.path() + "/orders/" + first)).body();
        assertThat(order.path("status").asText()).isEqualTo("confirmed");
        assertThat(order.path("items").get(0).path("quantity").asInt()).isEqualTo(2);
        assertThat(order.path("items").get(0).path("left").asInt()).isEqualTo(98);
        String third = sale.bought("711", "apple:1");
        List<String> listed = new ArrayList<>();
        is(200, api.as("711").get(sale.path() + "/orders")).body().path("orders")
                .forEach(listedOrder -> listed.add(listedOrder.path("order").asText()));
        assertThat(listed).containsExactly(third, second, first);
        refused(api.as("other").get(sale.path() + "/orders/" + first), "unknown-order");
        assertThat(scene.sql("SELECT sold FROM items WHERE sale = '" + sale.id() + "'"))
                .isIn("3", "4");
    }

    @Test
    @DisplayName("O2, I5, I15: the whole stream delivered again, under new ids, changes "
            + "nothing")
    void wholeStreamDeliveredAgainChangesNothing() {
        TestSale sale = sale("apple:100:1", "");
        for (int i = 0; i < 30; i++) {
            sale.bought("user" + i, "apple");
        }
        scene.awaitOrders(sale.id(), "confirmed", 30);
        double rejected = pod.metric("rush_ledger_rejected_total");
        for (int i = 0; i < 30; i++) {
            String id = scene.sql("SELECT id FROM order_states WHERE sale = '" + sale.id()
                    + "' AND user_id = 'user" + i + "'");
            String key = scene.sql("SELECT key FROM order_states WHERE id = '" + id + "'");
            scene.enter(sale.id(), id, "user" + i, key, "apple:1");
        }
        scene.awaitDrained(sale.id());
        assertThat(scene.orders(sale.id(), "confirmed")).isEqualTo(30);
        assertThat(scene.orders(sale.id(), "rejected")).isZero();
        assertThat(scene.count("SELECT sold FROM items WHERE sale = '" + sale.id() + "'"))
                .isEqualTo(30);
        assertThat(pod.metric("rush_ledger_rejected_total")).isEqualTo(rejected);
    }

    @Test
    @DisplayName("O2, I5: a batch with orders that the ledger already has stores only the new ones")
    void aBatchOfOldAndNewOrdersStoresTheNewOnes() throws SQLException {
        TestSale sale = sale("apple:100:1", "");
        List<String> entries = new ArrayList<>();
        try (Connection held = scene.holdWriters(sale.id())) {
            for (int i = 0; i < 4; i++) {
                sale.bought("old" + i, "apple");
            }
            ((List<?>) scene.redis("XRANGE", sale.partition().key("orders"), "-", "+"))
                    .forEach(entry ->
                            entries.add((String) ((List<?>) ((List<?>) entry).get(1)).get(1)));
            held.rollback();
        }
        scene.awaitOrders(sale.id(), "confirmed", 4);
        scene.awaitDrained(sale.id());
        double rejected = pod.metric("rush_ledger_rejected_total");
        try (Connection held = scene.holdWriters(sale.id())) {
            for (int i = 0; i < 4; i++) {
                sale.bought("new" + i, "apple");
                scene.add(sale.id(), "purchase", entries.get(i));
            }
            held.rollback();
        }
        scene.awaitOrders(sale.id(), "confirmed", 8);
        scene.awaitDrained(sale.id());
        assertThat(scene.count("SELECT sold FROM items WHERE sale = '" + sale.id() + "'"))
                .isEqualTo(8);
        assertThat(pod.metric("rush_ledger_rejected_total")).isEqualTo(rejected);
        assertThat(scene.count("SELECT count(*) FROM retries WHERE subject = '" + sale.id()
                + "'")).as("old orders taken for poison").isZero();
    }

    @Test
    @DisplayName("I1, I15: a batch with several rejected orders leaves the stream completely")
    void aBatchWithRejectedOrdersLeavesTheStream() throws SQLException {
        TestSale sale = sale("apple:100:1", "");
        try (Connection held = scene.holdWriters(sale.id())) {
            for (int i = 0; i < 7; i++) {
                sale.bought("user" + i, "apple");
            }
            scene.sql("UPDATE items SET total = 3 WHERE sale = '" + sale.id() + "'");
            held.rollback();
        }
        scene.awaitDrained(sale.id());
        assertThat(scene.orders(sale.id(), "confirmed")).isEqualTo(3);
        assertThat(scene.orders(sale.id(), "rejected")).isEqualTo(4);
        assertThat(is(200, api.as("user6").get(sale.path() + "/orders")).body()
                .at("/orders/0/status").asText()).isEqualTo("rejected");
    }

    @Test
    @DisplayName("I1: orders beyond the total are rejected, in the order of the stream")
    void orderBeyondTheTotalIsRejected() {
        TestSale sale = sale("apple:3:0", "");
        double rejected = pod.metric("rush_ledger_rejected_total");
        List<String> orders = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            orders.add(scene.enter(sale.id(), "user" + i, "apple:1"));
        }
        scene.awaitDrained(sale.id());
        assertThat(scene.orders(sale.id(), "confirmed")).isEqualTo(3);
        assertThat(scene.orders(sale.id(), "rejected")).isEqualTo(2);
        assertThat(scene.count("SELECT sold FROM items WHERE sale = '" + sale.id() + "'"))
                .isEqualTo(3);
        assertThat(pod.metric("rush_ledger_rejected_total") - rejected).isEqualTo(2);
        JsonNode last = is(200, api.asOperator().get(
                sale.path() + "/orders/" + orders.get(4))).body();
        assertThat(last.path("status").asText()).isEqualTo("rejected");
        refused(api.as("user4").post(sale.path() + "/orders/" + orders.get(4) + "/confirm"),
                "rejected");
        assertThat(pod.log()).contains("The ledger rejected order " + orders.get(4));
    }

    @Test
    @DisplayName("I4: a user's units above the limit are rejected, and no others")
    void orderBeyondAUsersLimitIsRejected() {
        TestSale sale = sale("apple:100:2,pear:100:0", "");
        scene.enter(sale.id(), "711", "apple:2");
        String over = scene.enter(sale.id(), "711", "apple:1,pear:1");
        scene.enter(sale.id(), "712", "apple:2");
        scene.enter(sale.id(), "711", "pear:9");
        scene.awaitDrained(sale.id());
        assertThat(scene.sql("SELECT string_agg(id::text, ',') FROM order_states WHERE sale = '"
                + sale.id() + "' AND status = 'rejected'")).isEqualTo(over);
        assertThat(scene.count("SELECT sum(sold) FROM items WHERE sale = '" + sale.id() + "'"))
                .isEqualTo(13);
    }

    @Test
    @DisplayName("I7: two orders under one key cannot both be confirmed")
    void secondOrderUnderOneKeyIsRejected() {
        TestSale sale = sale("apple:100:0", "");
        String first = UUID.randomUUID().toString();
        String second = UUID.randomUUID().toString();
        scene.enter(sale.id(), first, "711", "key", "apple:1");
        scene.enter(sale.id(), second, "711", "key", "apple:1");
        scene.awaitDrained(sale.id());
        assertThat(scene.sql("SELECT status FROM order_states WHERE id = '" + first + "'"))
                .isEqualTo("confirmed");
        assertThat(scene.sql("SELECT status FROM order_states WHERE id = '" + second + "'"))
                .isEqualTo("rejected");
    }

    @Test
    @DisplayName("O3: an entry that cannot be stored becomes a dead letter and delays "
            + "nobody; a replay stores it")
    void poisonBecomesADeadLetterAndIsReplayed() {
        TestSale sale = sale("apple:100:0", "");
        TestSale later = TestSale.unknown(scene.environment(), api);
        double before = pod.metric("rush_ledger_dead_letters");
        String lost = UUID.randomUUID().toString();
        // It is in this sale's partition, but names a sale that the ledger learns of later.
        scene.add(sale.id(), "purchase", String.join(" ", later.id(), LedgerScene.NOW, "0",
                "1", "1", "711", lost, "", "=", "apple:1", "0"));
        scene.add(sale.id(), "nonsense", "x");
        scene.add(sale.id(), "purchase", sale.id() + " 711 too few words");
        scene.add(sale.id(), "purchase", String.join(" ", sale.id(), LedgerScene.NOW, "0",
                "1", "1", "711", lost, "", "=", "apple:-1", "0"));
        String behind = sale.bought("711", "apple");
        Await.until("the order behind is stored", LedgerScene.SOON, () -> scene.count(
                "SELECT count(*) FROM order_states WHERE id = '" + behind + "'") == 1);
        Await.until("four dead letters", LedgerScene.SOON,
                () -> pod.metric("rush_ledger_dead_letters") == before + 4);
        scene.awaitDrained(sale.id());

        later.prepare("apple:10:1", "");
        String id = null;
        for (JsonNode letter : is(200, api.asOperator().get("/v1/dead-letters")).body()
                .path("deadLetters")) {
            if (letter.path("sale").asText().equals(later.id())) {
                id = letter.path("id").asText();
                assertThat(letter.path("fields").path("lines").asText()).isEqualTo("apple:1");
                assertThat(letter.path("tries").asInt()).isEqualTo(5);
                assertThat(letter.path("reason").asText()).contains(later.id());
            }
        }
        assertThat(id).isNotNull();
        is(200, api.asOperator().post("/v1/dead-letters/" + id + "/replay?cause=mended"));
        is(200, api.asOperator().post("/v1/dead-letters/" + id + "/replay"));
        scene.awaitOrders(later.id(), "confirmed", 1);
        Await.until("one dead letter fewer", LedgerScene.SOON,
                () -> pod.metric("rush_ledger_dead_letters") == before + 3);
        assertThat(scene.count("SELECT count(*) FROM audit WHERE action = 'dead-letter.replayed'"
                + " AND actor LIKE 'operator:%' AND subject = 'dead-letter/" + id + "' AND after"
                + " = '\"" + later.id() + "\"' AND cause = 'mended'")).isEqualTo(1);
        refused(api.as("711").get("/v1/dead-letters"), "forbidden");
        refused(api.asOperator().post("/v1/dead-letters/999999/replay"), "not-found");
    }

    @Test
    @DisplayName("O3: an order that cannot be stored delays no other order of its call")
    void neighboursOfAPoisonedOrderAreStored() {
        TestSale sale = sale("apple:100:0", "");
        List<String> orders = Stream.generate(() -> UUID.randomUUID().toString()).limit(3).toList();
        double before = pod.metric("rush_ledger_dead_letters");
        scene.add(sale.id(), "purchase", String.join(" ", sale.id(), LedgerScene.NOW, "0", "1",
                "1", "u0", orders.get(0), "", "=", "apple:1", "0", "u1", orders.get(1), "", "=",
                "melon:1", "0", "u2", orders.get(2), "k", "=", "apple:2", "0"));

        scene.awaitOrders(sale.id(), "confirmed", 2);
        Await.until("one dead letter", LedgerScene.SOON,
                () -> pod.metric("rush_ledger_dead_letters") == before + 1);
        scene.awaitDrained(sale.id());
        assertThat(scene.sql("SELECT string_agg(user_id || ' ' || seq, ',' ORDER BY seq) "
                + "FROM order_states WHERE sale = '" + sale.id() + "'")).isEqualTo("u0 1,u2 3");
    }

    @Test
    @DisplayName("G5: an envelope's number and a user's turn are paid once")
    void envelopeIsPaidOnce() {
        String rain = fresh("rain");
        is(201, api.asOperator().put("/v1/rains/" + rain,
                "{\"envelopes\":{\"amounts\":[9,4,5]}}"));
        is(201, api.as("u1").post("/v1/rains/" + rain + "/grabs"));
        String again = UUID.randomUUID().toString();
        String turn = UUID.randomUUID().toString();
        enterGrab(rain, again, "u2", "1", "1", "9");
        enterGrab(rain, turn, "u1", "2", "1", "4");
        scene.awaitDrained(rain);
        assertThat(scene.sql("SELECT granted || ' ' || granted_amount FROM rains WHERE rain = '"
                + rain + "'")).isEqualTo("1 9");
        assertThat(api.as("u1").get("/v1/rains/" + rain + "/grabs").body()
                .at("/grabs/0/status").asText()).isEqualTo("confirmed");
        assertThat(scene.count("SELECT count(*) FROM rejected_grabs WHERE id IN ('"
                + again + "', '" + turn + "')")).isEqualTo(2);
    }

    private static void enterGrab(
            String rain, String grab, String user, String number, String nth, String amount) {
        scene.add(rain, "grab", String.join(
                " ", rain, LedgerScene.NOW, number, "1", "1", user, grab, "", nth, amount));
    }
}
