package dev.rush.reconciliation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.order.LedgerPods;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The ledger, returns and books of a sale in three shards (S4, R1, R2, R5, B1). */
class ShardBooksIT {

    private static LedgerPods pods;

    @BeforeAll
    static void start() {
        pods = new LedgerPods("shard-books", Map.of("rush.expiry.interval", "PT0.2S"));
    }

    @AfterAll
    static void stop() {
        pods.close();
    }

    @Test
    void rushWithReturnsAndTransfersIsAlwaysBalanced() throws InterruptedException {
        ShardedSale sale = ShardedSale.prepare(pods, 900, 2, ",\"paymentWindow\":\"PT1H\"");
        List<Answer> seen = Collections.synchronizedList(new ArrayList<>());
        AtomicBoolean running = new AtomicBoolean(true);
        Thread watcher = new Thread(() -> {
            while (running.get()) {
                seen.add(pods.books(sale.id()));
                Await.sleep(20);
            }
        });
        watcher.start();
        List<String> users = new ArrayList<>();
        for (int i = 0; i < 1500; i++) { // Most of them have one home, which has to borrow.
            users.add(sale.userOf(i % 10 < 7 ? 1 : i % 3));
        }
        List<Answer> bought = Api.rush(1500, 64, i -> buyAndSometimesReturn(sale, users.get(i), i));
        Await.until("all is stored and returned", LedgerPods.SOON, () -> {
            JsonNode item = sale.item();
            return item.path("inStream").asLong() + item.path("creditPending").asLong() == 0
                    && pods.count("SELECT count(*) FROM returns WHERE sale = ? "
                            + "AND state = 'parked'", sale.id()) == 0;
        });
        running.set(false);
        watcher.join();
        long accepted = bought.stream().filter(answer -> answer.status() == 201).count();
        assertThat(accepted).isGreaterThan(500);
        assertThat(pods.stored(sale.id())).isEqualTo(accepted);
        assertThat(seen).hasSizeGreaterThan(5).allSatisfy(books ->
                assertThat(books.body().path("verdict").asText()).as("%s", books)
                        .isEqualTo("balanced"));
        JsonNode item = sale.item();
        assertThat(item.path("ordered").asLong()).isEqualTo(item.path("reserved").asLong())
                .isEqualTo(900 - item.path("left").asLong());
        assertThat(item.path("total").asLong()).isEqualTo(900);
        assertThat(item.path("inTransfer").asLong()).isZero();
        assertThat(sale.sum("apple:sent")).as("units moved").isPositive()
                .isEqualTo(sale.sum("apple:received"));
        assertThat(pods.count("SELECT count(*) FROM order_states WHERE sale = ? "
                + "AND status = 'rejected'", sale.id())).isZero();
        assertThat(pods.count("SELECT count(DISTINCT partition) FROM order_states WHERE sale = ?",
                sale.id())).isEqualTo(3);
    }

    private static CompletableFuture<Answer> buyAndSometimesReturn(
            ShardedSale sale, String user, int i) {
        Api[] apis = {pods.first().api(), pods.second().api()};
        return apis[i % 2].as(user).key("k").postAsync(sale.path() + "/purchases",
                "{\"items\":[{\"sku\":\"apple\",\"quantity\":" + (1 + i % 2) + "}]}")
                .thenCompose(answer -> answer.status() != 201 || i % 4 != 0
                        ? CompletableFuture.completedFuture(answer)
                        : apis[(i / 4) % 2].as(user).postAsync(sale.path() + "/returns",
                                "{\"order\":\"" + answer.body().path("order").asText() + "\"}")
                                .thenApply(returned -> answer));
    }

    @Test
    void returnedUnitsAreSoldAgainOnEveryPodToUsersOfEveryShard() {
        ShardedSale sale = ShardedSale.prepare(pods, 3, 0, "");
        String buyer = sale.userOf(2);
        String order = sale.buy(buyer, "k1", 1).body().path("order").asText();
        sale.buy(buyer, "k2", 2);
        Api other = pods.second().api().as(sale.userOf(0));
        String apple = "{\"items\":[{\"sku\":\"apple\"}]}";
        assertThat(other.post(sale.path() + "/purchases", apple).word()).isEqualTo("sold-out");
        pods.awaitStored(sale.id(), 2);

        assertThat(pods.giveBack(sale.id(), buyer, order).status()).isEqualTo(200);
        Await.until("the returned unit is sold by the other pod", LedgerPods.SOON,
                () -> other.post(sale.path() + "/purchases", apple).status() == 201);
        assertThat(other.post(sale.path() + "/purchases", apple).word()).isEqualTo("sold-out");
        assertThat(pods.giveBackByKey(sale.id(), buyer, "k2").status()).isEqualTo(200);
        String third = sale.userOf(1);
        Await.until("both are sold again, together", LedgerPods.SOON,
                () -> sale.buy(third, null, 2).status() == 201);
        assertThat(pods.giveBackByKey(sale.id(), third, "never").status()).isEqualTo(202);
        assertThat(sale.buy(third, "never", 1).word()).isEqualTo("order-returned");
        Await.until("the return without an order ends", LedgerPods.SOON, () -> pods.count(
                "SELECT count(*) FROM returns WHERE sale = ? AND state = 'void'", sale.id()) == 1);
        pods.awaitStored(sale.id(), 4);
        assertThat(sale.verdict()).isEqualTo("balanced");
    }

    @Test
    void unpaidUnitsExpireIntoTheirShardAndAreSoldAgain() {
        ShardedSale sale = ShardedSale.prepare(pods, 6, 2, ",\"paymentWindow\":\"PT1S\"");
        for (int shard = 0; shard < 3; shard++) {
            assertThat(sale.buy(sale.userOf(shard), "k", 2).status()).isEqualTo(201);
        }
        String late = sale.userOf(1);
        Await.until("all of it is sold again", LedgerPods.SOON,
                () -> sale.buy(late, null, 2).status() == 201);
        Await.until("it has expired in every shard", LedgerPods.SOON,
                () -> sale.sum("apple:credited") >= 6);
        assertThat(sale.verdict()).isEqualTo("balanced");
    }

    @Test
    void discrepanciesOfAnyShardAreFoundAndRepaired() {
        ShardedSale sale = ShardedSale.prepare(pods, 30, 0, "");
        List<String> users = new ArrayList<>();
        for (int shard = 0; shard < 3; shard++) {
            users.add(sale.userOf(shard));
            sale.buy(users.get(shard), "k", 2);
        }
        pods.awaitStored(sale.id(), 3);
        assertThat(sale.verdict()).isEqualTo("balanced");

        sale.change(1, "apple:ordered", 1);
        assertThat(sale.item().path("drift").asLong()).isEqualTo(1);
        assertThat(sale.repair()).isEqualTo(Map.of("units-returned", 1L));

        sale.change(2, "apple:ordered", -1);
        assertThat(sale.verdict()).isEqualTo("oversold");
        assertThat(sale.repair()).isEqualTo(Map.of("units-deducted", 1L));

        sale.change(2, "apple:total", 1);
        assertThat(sale.verdict()).isEqualTo("oversold");
        assertThat(sale.repair()).isEqualTo(Map.of("total-corrected", 30L));
        assertThat(sale.sum("apple:total")).isEqualTo(30);

        // A deduction that was lost with its key, and whose units others have bought since.
        pods.redis("HDEL", sale.key(0, "buyers"), users.get(0));
        sale.change(0, "apple:ordered", -2);
        assertThat(sale.buy(sale.userOf(0), null, 9).status()).isEqualTo(201);
        pods.awaitStored(sale.id(), 4);
        assertThat(sale.verdict()).isEqualTo("oversold");
        assertThat(sale.repair()).as("with units of other shards")
                .isEqualTo(Map.of("orders-restored", 1L));
        assertThat(sale.sum("apple:ordered")).isEqualTo(15);
        assertThat(sale.buy(users.get(0), "k", 2).header("Idempotency-Replayed"))
                .isEqualTo("true");
        assertThat(sale.repair()).isEmpty();
    }

    @Test
    void unitsInTransferAreCountedAndALostTransferIsFound() {
        ShardedSale sale = ShardedSale.prepare(pods, 30, 0, "");
        sale.buy(sale.userOf(0), "k", 1);
        pods.awaitStored(sale.id(), 1);
        sale.take(1, 2, 4);
        JsonNode item = sale.item();
        assertThat(item.path("verdict").asText()).as("%s", item).isEqualTo("balanced");
        assertThat(item.path("inTransfer").asLong()).isEqualTo(5);
        assertThat(item.path("total").asLong()).isEqualTo(30);
        assertThat(item.path("left").asLong()).isEqualTo(24);

        pods.redis("DEL", sale.key(1, "transfers"));
        assertThat(sale.verdict()).isEqualTo("undersold");
        assertThat(sale.repair()).isEqualTo(Map.of("total-corrected", 30L));
        assertThat(sale.buy(sale.userOf(2), null, 29).status()).isEqualTo(201);
        pods.awaitStored(sale.id(), 2);
        assertThat(sale.verdict()).isEqualTo("balanced");
    }
}
