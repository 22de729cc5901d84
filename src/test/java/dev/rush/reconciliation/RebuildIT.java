package dev.rush.reconciliation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.order.LedgerPods;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A sale that Redis lost (I14, P10) is never loaded again by itself, and is rebuilt on request. */
class RebuildIT {

    private static LedgerPods pods;

    @BeforeAll
    static void start() {
        pods = new LedgerPods("rebuild", Map.of());
    }

    @AfterAll
    static void stop() {
        pods.close();
    }

    private static Api operator() {
        return pods.api().asOperator();
    }

    private static Answer repair(String sale) {
        return operator().post("/v1/sales/" + sale + "/books/repair");
    }

    private static void awaitReturned(String sale) {
        Await.until("credits are given", LedgerPods.SOON, () -> pods.count("SELECT count(*) FROM "
                + "order_states WHERE sale = ? AND status = 'returned' AND NOT is_owed", sale)
                == 1);
    }

    @Test
    void saleIsNotLoadedInAnEmptiedRedisUntilRepairRebuildsIt() {
        String definition = "\"items\":[{\"sku\":\"apple\",\"total\":20,\"limitPerUser\":2}]";
        String sale = pods.prepare(definition);
        String path = "/v1/sales/" + sale;
        Answer first = pods.buy(sale, "u0", "k0", 2);
        for (int i = 1; i < 10; i++) {
            assertThat(pods.buy(sale, "u" + i, "k" + i).status()).isEqualTo(201);
        }
        Answer returned = pods.buy(sale, "u10", "k10");
        pods.awaitStored(sale, 11);
        pods.giveBackByKey(sale, "u10", "k10");
        awaitReturned(sale);
        assertThat(pods.giveBackByKey(sale, "u11", "late").status()).isEqualTo(202);
        operator().patch(path + "/items/apple", "{\"total\":15}");
        assertThat(pods.stock(sale, "apple:ordered")).isEqualTo(11);

        pods.redis("FLUSHALL");

        Await.until("purchases see it", LedgerPods.SOON,
                () -> pods.buy(sale, "u20", "k20").word().equals("not-loaded"));
        assertThat(pods.buy(sale, "u0", "k0", 2).word()).isEqualTo("not-loaded");
        assertThat(operator().put(path, "{" + definition + "}").word()).isEqualTo("not-loaded");
        Await.until("readers see it", LedgerPods.SOON,
                () -> operator().get(path).word().equals("not-loaded"));
        assertThat(pods.stock(sale, "apple:total")).as("not loaded again by itself").isEqualTo(-1);
        assertThat(pods.books(sale).body().path("verdict").asText()).isEqualTo("not-loaded");
        Await.until("the alarm is on", LedgerPods.SOON, () -> pods.metric("rush_books_drift") > 0);

        Answer repaired = repair(sale);
        assertThat(repaired.body().at("/actions/0/action").asText()).as("%s", repaired)
                .isEqualTo("rebuilt");
        assertThat(repaired.body().at("/books/verdict").asText()).isEqualTo("balanced");
        assertThat(repair(sale).body().path("actions")).isEmpty();

        assertThat(operator().get(path).body().at("/items/0/left").asLong()).isEqualTo(4);
        Answer replayed = pods.buy(sale, "u0", "k0", 2);
        assertThat(replayed.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(replayed.body()).isEqualTo(first.body());
        assertThat(pods.buy(sale, "u10", "k10").body().path("order"))
                .isEqualTo(returned.body().path("order"));
        assertThat(pods.buy(sale, "u0", "k0", 1).word()).isEqualTo("key-reused");
        assertThat(pods.buy(sale, "u0", "other").word()).isEqualTo("limit-reached");
        assertThat(pods.buy(sale, "u1", "other", 2).word()).isEqualTo("limit-reached");
        assertThat(pods.buy(sale, "u11", "late").word()).isEqualTo("order-returned");
        assertThat(operator().put(path, "{" + definition + "}").status()).isEqualTo(200);
        assertThat(pods.buy(sale, "u10", "new", 2).status()).as("a returned limit is back")
                .isEqualTo(201);
        assertThat(pods.buy(sale, "u30", null, 2).status()).isEqualTo(201);
        assertThat(pods.buy(sale, "u31", null).word()).isEqualTo("sold-out");
        pods.awaitStored(sale, 13);
        JsonNode books = pods.books(sale).body();
        assertThat(books.path("verdict").asText()).as("%s", books).isEqualTo("balanced");
        assertThat(books.at("/items/0/confirmed").asLong()).isEqualTo(15);
    }

    @Test
    void saleThatLostOnlyItsStockIsRebuiltFromItsOrdersAndStaysPaused() {
        String sale = pods.prepare("\"paymentWindow\":\"PT1H\"");
        for (int i = 0; i < 5; i++) {
            pods.buy(sale, "u" + i, "k" + i);
        }
        pods.awaitStored(sale, 5);
        operator().post("/v1/sales/" + sale + "/pause");
        Await.until("the ledger knows that it is paused", LedgerPods.SOON, () -> pods.count(
                "SELECT count(*) FROM sales WHERE sale = ? AND paused", sale) == 1);
        pods.redis("DEL", LedgerPods.key(sale, "stock"));
        assertThat(pods.books(sale).body().path("verdict").asText()).isEqualTo("not-loaded");

        assertThat(repair(sale).body().at("/books/verdict").asText()).isEqualTo("balanced");
        assertThat(pods.stock(sale, "apple:ordered")).isEqualTo(5);
        assertThat(pods.buy(sale, "u9", "k9").word()).isEqualTo("paused");
        assertThat(pods.buy(sale, "u1", "k1").header("Idempotency-Replayed")).isEqualTo("true");
    }

    @Test
    void saleThatLostItsKeysSellsNothingUntilTheyAreRestored() {
        String sale = pods.prepare("");
        assertThat(pods.buy(sale, "u1", "k1").status()).isEqualTo(201);
        pods.awaitStored(sale, 1);
        pods.redis("DEL", LedgerPods.key(sale, "buyers"));
        assertThat(pods.buy(sale, "u2", "k2").word()).isEqualTo("not-loaded");
        assertThat(pods.books(sale).body().path("verdict").asText()).isEqualTo("not-loaded");
        assertThat(repair(sale).body().at("/books/verdict").asText()).isEqualTo("balanced");
        assertThat(pods.buy(sale, "u1", "k1").header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(pods.buy(sale, "u2", "k2").status()).isEqualTo(201);
    }

    @Test
    void noOrderIsDeniedWhileItsSaleIsLost() {
        String sale = pods.prepare("");
        Answer bought = pods.buy(sale, "u1", "k1");
        pods.awaitStored(sale, 1);
        pods.redis("DEL", LedgerPods.key(sale, "buyers"));
        Api someone = pods.api().as("u2");
        String path = "/v1/sales/" + sale + "/orders";

        assertThat(someone.get(path + "?key=k2").word()).isEqualTo("not-loaded");
        assertThat(someone.get(path).word()).isEqualTo("not-loaded");
        assertThat(someone.get(path + "/" + UUID.randomUUID()).word()).isEqualTo("not-loaded");
        assertThat(operator().post(path + "/" + UUID.randomUUID() + "/confirm").word())
                .isEqualTo("not-loaded");
        assertThat(pods.api().as("u1").get(path + "?key=k1").body().at("/orders/0/order"))
                .isEqualTo(bought.body().path("order"));

        assertThat(repair(sale).status()).isEqualTo(200);
        assertThat(someone.get(path + "?key=k2").body().path("orders")).isEmpty();
        assertThat(someone.get(path + "/" + UUID.randomUUID()).word()).isEqualTo("unknown-order");
    }

    @Test
    void returnByKeyDoesNotWaitForARebuild() throws Exception {
        String sale = pods.prepare("");
        try (Connection rebuild = pods.transaction();
                Statement statement = rebuild.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(hashtextextended('parking " + sale
                    + "', 0))");
            Answer answer = pods.giveBackByKey(sale, "u1", "k1");
            assertThat(answer.word()).as("%s", answer).isEqualTo("unavailable");
            assertThat(answer.body().path("detail").asText()).contains("being rebuilt");
            assertThat(answer.header("Retry-After")).isEqualTo("1");
        }
        assertThat(pods.giveBackByKey(sale, "u1", "k1").status()).isEqualTo(202);
    }

    @Test
    void returnByKeyThatIsParkedDuringARebuildRefusesItsPurchase() throws Exception {
        String sale = pods.prepare("");
        pods.redis("DEL", LedgerPods.key(sale, "stock"));
        try (Connection parking = pods.transaction()) {
            try (Statement statement = parking.createStatement()) {
                statement.execute("SELECT pg_advisory_xact_lock_shared(hashtextextended("
                        + "'parking " + sale + "', 0))");
                statement.execute("INSERT INTO returns (id, sale, user_id, key, state, "
                        + "actor, tried_at) VALUES (gen_random_uuid(), '" + sale
                        + "', 'u1', 'late', 'parked', 'buyer:u1', "
                        + "now() + interval '1 hour')");
            }
            CompletableFuture<Answer> repair = CompletableFuture.supplyAsync(() -> repair(sale));
            Await.until("the rebuild waits for it", LedgerPods.SOON, () -> repair.isDone()
                    || pods.count("SELECT count(*) FROM pg_locks JOIN pg_database ON oid = "
                            + "database WHERE datname = current_database() AND locktype = ? "
                            + "AND NOT granted", "advisory") > 0);
            parking.commit();
            Answer repaired = repair.join();
            assertThat(repaired.body().at("/books/verdict").asText()).as("%s", repaired)
                    .isEqualTo("balanced");
        }
        assertThat(pods.buy(sale, "u1", "late").word()).isEqualTo("order-returned");
    }
}
