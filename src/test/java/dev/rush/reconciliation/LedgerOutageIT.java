package dev.rush.reconciliation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.dev.EmbeddedLedger;
import dev.rush.order.LedgerPods;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** PostgreSQL crashes in the middle of a rush (I6, I15, O4); afterwards the books balance. */
class LedgerOutageIT {

    private static final Duration HEALED = Duration.ofSeconds(60);
    private static final String RAIN = "/v1/rains/outage";
    private static final String GRABS = RAIN + "/grabs";

    private static void awaitGrab(LedgerPods pods, String user, String status) {
        Await.until("the grab of " + user + " is " + status, HEALED, () -> pods.api().as(user)
                .get(GRABS).body().at("/grabs/0/status").asText().equals(status));
    }

    @Test
    void rushGoesOnWithoutPostgresAndItsBooksBalanceAtTheEnd() {
        try (EmbeddedLedger ledger = EmbeddedLedger.start();
                LedgerPods pods = new LedgerPods("outage", ledger.freshDatabase(), Map.of())) {
            String sale = pods.prepare("\"items\":[{\"sku\":\"apple\",\"total\":3000,"
                    + "\"limitPerUser\":1}]");
            String path = "/v1/sales/" + sale;
            Answer early = pods.buy(sale, "early", "k");
            pods.awaitStored(sale, 1);
            pods.api().asOperator().put(RAIN, "{\"envelopes\":{\"amounts\":[9,4]}}");
            pods.api().as("early").post(GRABS);
            awaitGrab(pods, "early", "confirmed");
            CompletableFuture<List<Answer>> rush = CompletableFuture.supplyAsync(() ->
                    Api.rush(6000, 48, i -> (i % 2 == 0 ? pods.first() : pods.second()).api()
                            .as("u" + i).key("k").postAsync(path + "/purchases",
                                    "{\"items\":[{\"sku\":\"apple\"}]}")));
            Await.until("the rush is under way", HEALED,
                    () -> pods.stock(sale, "apple:ordered") > 300);
            ledger.stopImmediately();

            List<Answer> answers = rush.join();
            assertThat(answers.stream().map(Answer::status).collect(Collectors.toSet()))
                    .as("nobody notices").isSubsetOf(Set.of(201, 409));
            assertThat(pods.stock(sale, "apple:ordered")).isEqualTo(3000);
            Answer refused = pods.giveBack(sale, "early", early.body().path("order").asText());
            assertThat(refused.word()).isEqualTo("unavailable");
            assertThat(pods.stock(sale, "apple:ordered")).as("nothing happened").isEqualTo(3000);
            assertThat(pods.books(sale).word()).isEqualTo("unavailable");
            JsonNode sales = pods.api().asOperator().get("/v1/sales").body();
            assertThat(sales.findValuesAsText("sale")).contains(sale);
            assertThat(sales.path("partial").asBoolean()).as("retired sales are missing").isTrue();
            assertThat(pods.api().as("late").post(GRABS).status()).isEqualTo(201);
            awaitGrab(pods, "late", "accepted");
            assertThat(pods.api().as("early").get(GRABS).word())
                    .as("a confirmed grab never turns back into an accepted one")
                    .isEqualTo("unavailable");

            ledger.restart();
            Await.until("all is stored", HEALED, () -> pods.stored(sale) == 3000,
                    pods.first()::log);
            Await.until("the books balance", HEALED, () -> {
                JsonNode item = pods.books(sale).body().at("/items/0");
                return item.path("confirmed").asLong() == 3000
                        && item.path("drift").asLong(-1) == 0;
            });
            assertThat(pods.count("SELECT count(*) FROM retries WHERE subject = ?", sale))
                    .as("an outage makes no dead letters").isZero();
            assertThat(pods.metric("rush_books_drift") + pods.metric("rush_books_lost_total"))
                    .isZero();
            Set<String> accepted = answers.stream().filter(answer -> answer.status() == 201)
                    .map(answer -> answer.body().path("order").asText())
                    .collect(Collectors.toSet());
            awaitGrab(pods, "late", "confirmed");
            assertThat(accepted).hasSize(2999);
            assertThat(pods.giveBack(sale, "early", early.body().path("order").asText())
                    .status()).isEqualTo(200);
        }
    }
}
