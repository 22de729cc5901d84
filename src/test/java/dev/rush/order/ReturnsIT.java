package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Patience;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Returns (R2, R3, R4, R5, I10, I11): the database first, then Redis, and each unit once. */
class ReturnsIT {

    /** What a busy machine may add to a bound. */
    private static final long SLACK_MS = 400;
    private static LedgerPods pods;

    @BeforeAll
    static void start() {
        pods = new LedgerPods("returns", Map.of("rush.returns.alarm-after", "PT3S"));
    }

    @AfterAll
    static void stop() {
        pods.close();
    }

    private static String order(Answer bought) {
        assertThat(bought.status()).as("%s", bought).isEqualTo(201);
        return bought.body().path("order").asText();
    }

    private static Map<Integer, Long> statuses(List<Answer> answers) {
        return answers.stream().collect(Collectors.groupingBy(
                Answer::status, TreeMap::new, Collectors.counting()));
    }

    @Test
    void sixtyReturnsOfOneOrderAtOnceGiveItsUnitsBackOnce() {
        String sale = pods.prepare("\"items\":[{\"sku\":\"apple\",\"total\":100,"
                + "\"limitPerUser\":5}]");
        String order = order(pods.buy(sale, "u1", "k1", 3));
        pods.buy(sale, "u2", "k2", 2);
        pods.awaitStored(sale, 2);

        Api[] apis = {pods.first().api().as("u1"), pods.second().api().as("u1")};
        List<Answer> answers = Api.rush(60, 60, i -> apis[i % 2].postAsync(
                "/v1/sales/" + sale + "/returns", "{\"order\":\"" + order + "\"}"));

        assertThat(statuses(answers)).isEqualTo(Map.of(200, 60L));
        assertThat(answers).allMatch(a -> a.body().path("state").asText().equals("returned"));
        Await.until("the units are back", LedgerPods.SOON,
                () -> pods.stock(sale, "apple:ordered") == 2);
        Await.sleep(500);
        assertThat(pods.stock(sale, "apple:ordered")).isEqualTo(2);
        assertThat(pods.count("SELECT sold FROM items WHERE sale = ?", sale)).isEqualTo(2);
        assertThat(pods.count("SELECT count(*) FROM order_states WHERE sale = ?"
                + " AND status = 'returned' AND NOT is_owed", sale)).isEqualTo(1);
        assertThat(pods.buy(sale, "u1", "k3", 5).status()).as("the limit is back").isEqualTo(201);
        assertThat(pods.buy(sale, "u1", "k1", 3).header("Idempotency-Replayed"))
                .as("a key still has its first answer").isEqualTo("true");
        assertThat(pods.giveBackByKey(sale, "u1", "k1").status()).isEqualTo(200);
    }

    @Test
    void returnOfAnOrderThatTheLedgerLacksIsParkedAndFinishedLater() throws SQLException {
        String sale = pods.prepare("");
        String order;
        try (Connection writersHeld = pods.holdWriters(sale)) {
            order = order(pods.buy(sale, "u1", "k1"));
            Answer parked = pods.giveBack(sale, "u1", order);
            assertThat(parked.status()).as("%s", parked).isEqualTo(202);
            assertThat(parked.body().path("state").asText()).isEqualTo("parked");
            assertThat(pods.giveBack(sale, "u1", order).status()).isEqualTo(202);
            assertThat(pods.giveBack(sale, "u2", order).word()).isEqualTo("unknown-order");
            assertThat(pods.stock(sale, "apple:ordered")).as("stock unchanged").isEqualTo(1);
            Answer listed = pods.api().asOperator()
                    .get("/v1/sales/" + sale + "/returns?state=parked");
            assertThat(listed.body().path("returns")).hasSize(1);
            assertThat(listed.body().at("/returns/0/reason").asText()).contains("ledger");
            Await.until("the alarm is raised", LedgerPods.SOON, () -> alarmed(sale) == 1);
            Await.until("the gauge shows it", LedgerPods.SOON, () ->
                    pods.first().metric("rush_returns_alarmed")
                            + pods.second().metric("rush_returns_alarmed") > 0);
        }
        Await.until("the order is returned", LedgerPods.SOON,
                () -> pods.giveBack(sale, "u1", order).status() == 200);
        Await.until("the units are back", LedgerPods.SOON,
                () -> pods.stock(sale, "apple:ordered") == 0);
        assertThat(pods.giveBack(sale, "u1", order).status()).isEqualTo(200);
        assertThat(alarmed(sale)).isZero();
    }

    private static int alarmed(String sale) {
        return pods.api().asOperator().get("/v1/sales/" + sale + "/returns?state=alarmed")
                .body().path("returns").size();
    }

    @Test
    void returnByAnUnknownKeyRefusesTheLatePurchaseAndEndsAsVoid() {
        String sale = pods.prepare("");
        Answer parked = pods.giveBackByKey(sale, "u1", "late");
        assertThat(parked.status()).as("%s", parked).isEqualTo(202);
        assertThat(pods.buy(sale, "u1", "late").word()).isEqualTo("order-returned");
        assertThat(pods.buy(sale, "u2", "late").status()).as("keys belong to one user")
                .isEqualTo(201);
        Await.until("the return ends as void", LedgerPods.SOON, () -> pods
                .giveBackByKey(sale, "u1", "late").body().path("state").asText().equals("void"));
        assertThat(pods.buy(sale, "u1", "late").word()).isEqualTo("order-returned");
        Await.sleep(4000);
        assertThat(alarmed(sale)).as("void without an alarm").isZero();
        assertThat(pods.stock(sale, "apple:ordered")).isEqualTo(1);
    }

    @Test
    void userParksAtMostTwentyReturnsByUnknownKeys() {
        String sale = pods.prepare("");
        for (int i = 0; i < 20; i++) {
            assertThat(pods.giveBackByKey(sale, "u1", "k" + i).status()).isEqualTo(202);
        }
        assertThat(pods.giveBackByKey(sale, "u1", "k20").status()).isEqualTo(409);
        assertThat(pods.giveBackByKey(sale, "u1", "k3").status()).isEqualTo(202);
        assertThat(pods.giveBackByKey(sale, "u2", "k20").status()).isEqualTo(202);
    }

    @Test
    void userParksAtMostTwentyReturnsOfUnknownOrdersDuringALoss() {
        String sale = pods.prepare("");
        assertThat(pods.giveBack(sale, "u1", UUID.randomUUID().toString()).word())
                .as("both stores are complete").isEqualTo("unknown-order");
        pods.update("INSERT INTO losses (partition, low, high, noticed_at_ms) "
                + "SELECT unnest(partitions), 1, 2, 0 FROM sales WHERE sale = ?", sale);
        String first = UUID.randomUUID().toString();
        assertThat(pods.giveBack(sale, "u1", first).status()).isEqualTo(202);
        for (int i = 1; i < 20; i++) {
            assertThat(pods.giveBack(sale, "u1", UUID.randomUUID().toString()).status())
                    .isEqualTo(202);
        }
        assertThat(pods.giveBack(sale, "u1", UUID.randomUUID().toString()).word())
                .isEqualTo("limit-reached");
        assertThat(pods.giveBack(sale, "u1", first).status()).as("repeated").isEqualTo(202);
        assertThat(pods.giveBack(sale, "u2", UUID.randomUUID().toString()).status())
                .as("another user").isEqualTo(202);
        assertThat(pods.count("SELECT count(*) FROM returns WHERE sale = ?", sale)).isEqualTo(21);

        pods.update("UPDATE losses SET lost = 1, restored_at = now()");
        Await.until("all end as void", LedgerPods.SOON, () -> pods.count("SELECT count(*) "
                + "FROM returns WHERE sale = ? AND state <> 'void'", sale) == 0);
        assertThat(pods.giveBack(sale, "u1", UUID.randomUUID().toString()).word())
                .as("earlier returns count").isEqualTo("limit-reached");
    }

    @Test
    void saleHasAtMostTenThousandReturnsOfUnknownOrders() {
        String sale = pods.prepare("");
        pods.update("INSERT INTO losses (partition, low, high, noticed_at_ms) "
                + "SELECT unnest(partitions), 1, 2, 0 FROM sales WHERE sale = ?", sale);
        pods.update("INSERT INTO returns (id, sale, user_id, order_id, state, actor)"
                + " SELECT gen_random_uuid(), ?, 'crowd-' || n, gen_random_uuid(), 'void', 'buyer'"
                + " FROM generate_series(1, 9999) AS n", sale);
        assertThat(pods.giveBack(sale, "u1", UUID.randomUUID().toString()).status())
                .isEqualTo(202);

        Answer refused = pods.giveBack(sale, "u2", UUID.randomUUID().toString());

        assertThat(refused.word()).isEqualTo("limit-reached");
        assertThat(refused.body().path("limit").asInt()).isEqualTo(10_000);
        assertThat(refused.body().path("detail").asText()).endsWith("per sale.");
    }

    @Test
    void parkedReturnsOfAnUnreadableSaleDelayNoOthers() {
        String broken = pods.prepare("");
        String sound = pods.prepare("");
        String buyers = LedgerPods.key(broken, "buyers");
        pods.redis("SET", buyers, "not a hash");
        pods.update("INSERT INTO returns (id, sale, user_id, order_id, state, actor) SELECT "
                + "gen_random_uuid(), CASE WHEN i % 2 = 0 THEN ? ELSE ? END, 'u' || i, "
                + "gen_random_uuid(), 'parked', 'buyer:u' FROM generate_series(1, 16) i",
                broken, sound);
        Await.until("the others end", LedgerPods.SOON, () -> pods.count("SELECT count(*) "
                + "FROM returns WHERE sale = ? AND state = 'void'", sound) == 8);
        assertThat(pods.count("SELECT count(*) FROM returns WHERE sale = ? AND state <> 'void'",
                broken)).isEqualTo(8);
        pods.redis("DEL", buyers);
    }

    @Test
    void onlyTheBuyerAndOperatorsReturnAnOrder() {
        String sale = pods.prepare("\"returnRestoresLimit\":false");
        String order = order(pods.buy(sale, "u1", "k1"));
        pods.awaitStored(sale, 1);
        String path = "/v1/sales/" + sale + "/returns";
        String body = "{\"order\":\"" + order + "\"}";
        assertThat(pods.giveBack(sale, "u2", order).word()).isEqualTo("unknown-order");
        assertThat(pods.giveBack(sale, "u1", UUID.randomUUID().toString()).word())
                .isEqualTo("unknown-order");
        assertThat(pods.giveBack(sale, "u1", "no-order").word()).isEqualTo("unknown-order");
        assertThat(pods.giveBack("no-sale", "u1", order).word()).isEqualTo("unknown-sale");
        assertThat(pods.api().post(path, body).word()).isEqualTo("unauthenticated");
        assertThat(pods.api().as("u1").get(path).word()).isEqualTo("forbidden");
        assertThat(pods.api().as("u1").post(path, "{}").word()).isEqualTo("invalid-request");
        assertThat(pods.api().as("u1").post(path, "{\"order\":\"" + order
                + "\",\"idempotencyKey\":\"k1\"}").word()).isEqualTo("invalid-request");
        assertThat(pods.api().asOperator().post(path, body).status()).isEqualTo(200);
        Await.until("the units are back", LedgerPods.SOON,
                () -> pods.stock(sale, "apple:ordered") == 0);
        assertThat(pods.buy(sale, "u1", "k2").word())
                .as("this sale keeps the limit used").isEqualTo("limit-reached");
    }

    @Test
    void aUnitReturnedOnOnePodIsSoldByTheOtherWithin200Ms() {
        String sale = pods.prepare("\"items\":[{\"sku\":\"apple\",\"total\":1}]");
        String order = order(pods.buy(sale, "u1", null));
        pods.awaitStored(sale, 1);
        Api other = pods.second().api();
        String path = "/v1/sales/" + sale + "/purchases";
        String body = "{\"items\":[{\"sku\":\"apple\"}]}";
        long slowestMs = 0;
        for (int round = 0; round < 10; round++) {
            String user = "buyer-" + round;
            assertThat(other.as(user).post(path, body).word()).isEqualTo("sold-out");
            Answer returned = pods.api().asOperator().post("/v1/sales/" + sale + "/returns",
                    "{\"order\":\"" + order + "\"}");
            long from = System.nanoTime();
            assertThat(returned.status()).as("%s", returned).isEqualTo(200);
            Answer bought = other.as(user).post(path, body);
            while (bought.status() != 201) {
                assertThat(bought.word()).isEqualTo("sold-out");
                bought = other.as(user).post(path, body);
            }
            slowestMs = Math.max(slowestMs, (System.nanoTime() - from) / 1_000_000);
            order = order(bought);
            pods.awaitStored(sale, round + 2);
        }
        assertThat(slowestMs).isLessThan(Patience.ofMillis(200 + SLACK_MS));
    }

    @Test
    void anExpiredOrderIsNotReturned() {
        String sale = pods.prepare("\"paymentWindow\":\"PT0.5S\"");
        String order = order(pods.buy(sale, "u1", "k1"));
        Await.until("the order expires", LedgerPods.SOON, () -> pods.count(
                "SELECT count(*) FROM order_states WHERE sale = ? AND status = 'expired'",
                sale) == 1);
        assertThat(pods.giveBack(sale, "u1", order).word()).isEqualTo("order-expired");
        Await.until("the units are back", LedgerPods.SOON,
                () -> pods.stock(sale, "apple:ordered") == 0);
    }

    @Test
    void withoutALedgerReturnsAreNotImplemented() {
        dev.rush.testing.Pod pod = dev.rush.testing.Environments.startPod("returns-none",
                pods.environment(), Map.of("rush.orders.sink", "none"));
        try (pod) {
            Answer answer = pod.api().as("u1").post("/v1/sales/s/returns", "{\"order\":\"o\"}");
            assertThat(answer.word()).isEqualTo("not-implemented");
        }
    }
}
