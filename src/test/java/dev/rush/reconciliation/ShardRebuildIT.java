package dev.rush.reconciliation;

import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.order.LedgerPods;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A sale in three shards that Redis lost, in part or altogether (S4, I14). */
class ShardRebuildIT {

    private static LedgerPods pods;

    @BeforeAll
    static void start() {
        pods = new LedgerPods("shard-rebuild", Map.of("rush.expiry.interval", "PT0.2S"));
    }

    @AfterAll
    static void stop() {
        pods.close();
    }

    @Test
    void lostShardIsRebuiltWithTheOthersAndOldTransfersGiveNothing() {
        ShardedSale sale = ShardedSale.prepare(pods, 30, 2, "");
        List<String> users = new ArrayList<>();
        for (int shard = 0; shard < 3; shard++) {
            users.add(sale.userOf(shard));
            sale.buy(users.get(shard), "k", 2);
        }
        String returning = sale.userOf(1);
        sale.buy(returning, "k", 1);
        pods.awaitStored(sale.id(), 4);
        pods.giveBackByKey(sale.id(), returning, "k");
        String[] taken = sale.take(0, 1, 3);
        pods.redis("DEL", sale.key(1, "stock"));

        assertThat(sale.buy(users.get(1), null, 1).word()).isEqualTo("not-loaded");
        assertThat(sale.verdict()).isEqualTo("not-loaded");
        Await.until("readers see it", LedgerPods.SOON,
                () -> pods.api().get(sale.path()).word().equals("not-loaded"));
        assertThat(sale.repair()).isEqualTo(Map.of("rebuilt", 4L));

        assertThat(sale.sum("apple:total")).isEqualTo(30);
        assertThat(sale.sum("apple:ordered")).isEqualTo(6);
        assertThat(sale.give(1, taken)).as("a transfer from before")
                .isEqualTo("overtaken");
        for (int shard = 0; shard < 3; shard++) {
            assertThat(sale.buy(users.get(shard), "k", 2).header("Idempotency-Replayed"))
                    .isEqualTo("true");
            assertThat(sale.buy(users.get(shard), "k2", 1).word()).isEqualTo("limit-reached");
        }
        assertThat(sale.buy(returning, null, 2).status()).isEqualTo(201);
        List<Answer> answers = Api.rush(40, 20, i -> pods.api().as(fresh("user"))
                .postAsync(sale.path() + "/purchases", "{\"items\":[{\"sku\":\"apple\"}]}"));
        assertThat(answers.stream().filter(answer -> answer.status() == 201)).hasSize(22);
        pods.awaitStored(sale.id(), 27);
        assertThat(sale.verdict()).isEqualTo("balanced");
    }

    @Test
    void saleIsRebuiltShardByShardInAnEmptiedRedis() {
        ShardedSale sale = ShardedSale.prepare(pods, 30, 0, "");
        for (int i = 0; i < 12; i++) {
            sale.buy(fresh("user"), "k", 1);
        }
        pods.awaitStored(sale.id(), 12);
        assertThat(pods.api().asOperator().patch(sale.path() + "/items/apple",
                "{\"total\":20}").status()).isEqualTo(200);
        pods.redis("FLUSHALL");
        Await.until("purchases see it", LedgerPods.SOON,
                () -> sale.buy(fresh("user"), null, 1).word().equals("not-loaded"));
        assertThat(sale.repair()).isEqualTo(Map.of("rebuilt", 12L));
        assertThat(sale.buy(sale.userOf(2), null, 8).status()).isEqualTo(201);
        assertThat(sale.buy(sale.userOf(0), null, 1).word()).isEqualTo("sold-out");
        assertThat(pods.api().asOperator().patch(sale.path() + "/items/apple",
                "{\"total\":21}").status()).isEqualTo(200);
        assertThat(sale.buy(sale.userOf(1), null, 1).status()).isEqualTo(201);
        pods.awaitStored(sale.id(), 14);
        assertThat(sale.verdict()).isEqualTo("balanced");
    }
}
