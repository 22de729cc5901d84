package dev.rush.reconciliation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.order.LedgerPods;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environment;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Returns, books, repair and rebuild work on a Redis Cluster too (S2, R2, B1, I14). */
class BooksClusterIT {

    @Test
    void ordersAreReturnedBooksBalanceAndALostSaleIsRebuilt() {
        Environment cluster = Environments.cluster();
        try (Pod pod = Environments.startPod("books-cluster", cluster, Map.of(
                "rush.orders.sink", "postgres", "rush.returns.retry", "PT0.3S",
                "rush.books.interval", "PT1S", "rush.writer.lease", "PT1S"))) {
            Api operator = pod.api().asOperator();
            for (int i = 0; i < 3; i++) {
                String sale = "cluster-books-" + i;
                Await.until("it is prepared", LedgerPods.SOON, () -> operator.put("/v1/sales/"
                        + sale, "{\"items\":[{\"sku\":\"apple\",\"total\":10}]}").status() == 201);
                judge(pod.api(), operator, cluster, sale);
            }
        }
    }

    private static void judge(Api api, Api operator, Environment cluster, String sale) {
        String path = "/v1/sales/" + sale;
        for (int i = 0; i < 5; i++) {
            assertThat(buy(api, path, i).status()).isEqualTo(201);
        }
        assertThat(api.as("late").post(path + "/returns", "{\"idempotencyKey\":\"late\"}")
                .status()).isEqualTo(202);
        Await.until("an order is returned", LedgerPods.SOON, () -> api.as("u0")
                .post(path + "/returns", "{\"idempotencyKey\":\"k0\"}").status() == 200);
        Await.until("its unit is back", LedgerPods.SOON, () -> left(operator, path) == 6);
        Await.until("the books balance", LedgerPods.SOON, () -> operator.get(path + "/books")
                .body().at("/items/0/confirmed").asLong() == 4);
        assertThat(operator.get(path + "/books").body().path("verdict").asText())
                .isEqualTo("balanced");

        try (Resp resp = cluster.resp(LedgerPods.key(sale, "stock"))) {
            resp.command("HINCRBY", LedgerPods.key(sale, "stock"), "apple:ordered", "1");
            assertThat(operator.post(path + "/books/repair").body().at("/actions/0/action")
                    .asText()).isEqualTo("units-returned");
            resp.command("DEL", LedgerPods.key(sale, "stock"));
        }
        assertThat(buy(api, path, 9).word()).isEqualTo("not-loaded");
        Answer rebuilt = operator.post(path + "/books/repair");
        assertThat(rebuilt.body().at("/books/verdict").asText()).as("%s", rebuilt)
                .isEqualTo("balanced");
        assertThat(left(operator, path)).isEqualTo(6);
        assertThat(buy(api, path, 1).header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(api.as("late").key("late").post(path + "/purchases",
                "{\"items\":[{\"sku\":\"apple\"}]}").word()).isEqualTo("order-returned");
    }

    private static Answer buy(Api api, String path, int i) {
        return api.as("u" + i).key("k" + i)
                .post(path + "/purchases", "{\"items\":[{\"sku\":\"apple\"}]}");
    }

    private static long left(Api operator, String path) {
        return operator.get(path).body().at("/items/0/left").asLong();
    }
}
