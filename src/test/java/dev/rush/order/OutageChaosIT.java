package dev.rush.order;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.dev.EmbeddedLedger;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Pod;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * PostgreSQL is down for minutes, and fails in the middle of a big rush: purchases go on, nothing
 * becomes a dead letter, every accepted order is stored, and the books balance.
 * {@code -Dchaos.outage=PT3M} sets the length of the outage.
 */
@Tag("chaos")
class OutageChaosIT {
    private static final Duration OUTAGE =
            Duration.parse(System.getProperty("chaos.outage", "PT3M"));
    private static final Duration HEAL_LIMIT = Duration.ofMinutes(3);
    private static final int BUYERS = 20_000;
    private static final int CONCURRENCY = 64;
    private static final long PAUSE_MS = 20;

    private static CompletableFuture<Answer> buy(LedgerPods pods, String sale, int buyer) {
        Pod pod = buyer % 2 == 0 ? pods.first() : pods.second();
        return pod.api().as("buyer-" + buyer).postAsync("/v1/sales/" + sale + "/purchases",
                "{\"items\":[{\"sku\":\"apple\"}]}");
    }

    private static void accept(Answer answer, Set<String> accepted) {
        assertThat(answer.status()).as("an answer while PostgreSQL is down: %s", answer)
                .isEqualTo(201);
        accepted.add(answer.body().path("order").asText());
    }

    private static void assertBalanced(LedgerPods pods, String sale, Set<String> accepted) {
        Await.until("all orders are stored", HEAL_LIMIT, () -> pods.stored(sale) == accepted.size(),
                () -> pods.stored(sale) + " of " + accepted.size());
        Await.until("the backlog is empty", HEAL_LIMIT,
                () -> pods.metric("rush_ledger_backlog") == 0);
        Await.until("the books balance", HEAL_LIMIT, () -> {
            JsonNode item = pods.books(sale).body().at("/items/0");
            return item.path("confirmed").asLong() == accepted.size()
                    && item.path("drift").asLong(-1) == 0;
        }, () -> pods.books(sale).toString());
        String[] orders = accepted.toArray(String[]::new);
        assertThat(pods.count("SELECT count(*) FROM order_states WHERE status = 'confirmed'"
                + " AND id = ANY (?::uuid[])", orders)).isEqualTo(orders.length);
        assertThat(pods.count("SELECT count(*) FROM retries WHERE subject = ?", sale))
                .as("an outage makes no dead letters").isZero();
        assertThat(pods.metric("rush_books_drift") + pods.metric("rush_books_lost_total")
                + pods.metric("rush_ledger_rejected_total")).isZero();
    }

    @Test
    void purchasesGoOnWhilePostgresIsDownForMinutes() {
        try (EmbeddedLedger ledger = EmbeddedLedger.start();
                LedgerPods pods = new LedgerPods("minutes", ledger.freshDatabase(), Map.of())) {
            String sale = pods.prepare(
                    "\"items\":[{\"sku\":\"apple\",\"total\":1000000,\"limitPerUser\":1}]");
            Set<String> accepted = new HashSet<>();
            accept(buy(pods, sale, 0).join(), accepted);
            pods.awaitStored(sale, 1);
            ledger.stopImmediately();

            long from = System.nanoTime();
            double midway = 0;
            int buyer = 1;
            while (System.nanoTime() - from < OUTAGE.toNanos()) {
                accept(buy(pods, sale, buyer++).join(), accepted);
                Await.sleep(PAUSE_MS);
                if (midway == 0 && System.nanoTime() - from > OUTAGE.toNanos() / 2) {
                    midway = pods.metric("rush_ledger_backlog");
                    assertThat(midway).as("the backlog, midway").isPositive();
                }
            }
            assertThat(pods.metric("rush_ledger_backlog")).isGreaterThan(midway);
            ledger.restart();
            assertBalanced(pods, sale, accepted);
            System.out.printf("%d purchases went through while PostgreSQL was down for %s%n",
                    accepted.size() - 1, OUTAGE);
        }
    }

    @Test
    void rushOfTwentyThousandOutlastsPostgres() {
        try (EmbeddedLedger ledger = EmbeddedLedger.start();
                LedgerPods pods = new LedgerPods("crowd", ledger.freshDatabase(), Map.of())) {
            String sale = pods.prepare("\"items\":[{\"sku\":\"apple\",\"total\":" + BUYERS
                    + ",\"limitPerUser\":1}]");
            CompletableFuture<List<Answer>> rush = CompletableFuture.supplyAsync(() ->
                    Api.rush(BUYERS, CONCURRENCY, buyer -> buy(pods, sale, buyer)));
            Await.until("the rush is under way", HEAL_LIMIT,
                    () -> pods.stock(sale, "apple:ordered") > BUYERS / 4);
            ledger.stopImmediately();
            Set<String> accepted = new HashSet<>();
            rush.join().forEach(answer -> accept(answer, accepted));
            assertThat(accepted).hasSize(BUYERS);
            ledger.restart();
            assertBalanced(pods, sale, accepted);
        }
    }
}
