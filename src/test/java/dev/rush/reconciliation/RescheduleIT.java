package dev.rush.reconciliation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.order.LedgerPods;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** New times of a sale reach the ledger, and survive a loss of Redis (P11, I14, A1). */
class RescheduleIT {
    private static final String ITEMS =
            "\"items\":[{\"sku\":\"apple\",\"total\":20,\"limitPerUser\":0}]";
    private static final String LATE = "\"closesAt\":\"2100-01-01T00:00:00Z\"";

    private static LedgerPods pods;

    @BeforeAll
    static void start() {
        pods = new LedgerPods("reschedule", Map.of());
    }

    @AfterAll
    static void stop() {
        pods.close();
    }

    private static Api operator() {
        return pods.api().asOperator();
    }

    private static void awaitTakenOver(String sale) {
        Await.until("the ledger has them", LedgerPods.SOON, () -> pods.count(
                "SELECT count(*) FROM audit WHERE subject = ? AND action = 'sale.rescheduled'",
                sale) == 1);
    }

    @Test
    @DisplayName("A1, P10, P11: the definition changes at once, the ledger and the audit soon")
    void ledgerFollows() {
        String sale = pods.prepare(ITEMS);
        String path = "/v1/sales/" + sale;
        assertThat(operator().patch(path, "{" + LATE + "}").status()).isEqualTo(200);
        // Redis has decided; nobody needs to wait for the ledger.
        Answer differs = operator().put(path, "{" + ITEMS + "}");
        assertThat(differs.word()).isEqualTo("sale-exists");
        assertThat(differs.body().path("differs").toString()).isEqualTo("[\"closesAt\"]");
        assertThat(operator().put(path, "{" + ITEMS + "," + LATE + "}").status()).isEqualTo(200);
        awaitTakenOver(sale);
        assertThat(operator().put(path, "{" + ITEMS + "}").word()).isEqualTo("sale-exists");
        assertThat(operator().put(path, "{" + ITEMS + "," + LATE + "}").status()).isEqualTo(200);
        assertThat(pods.text("SELECT ends_at_ms || ' ' || definition FROM sales WHERE sale = ?",
                sale)).startsWith("4102444800000 ").contains("\"closesAt\":4102444800000");
        assertThat(pods.text("SELECT concat_ws(' ', actor, before, after) FROM audit WHERE"
                + " subject = ? AND action = 'sale.rescheduled'", sale))
                .startsWith("operator:").endsWith(" {\"closesAt\": null}"
                        + " {\"closesAt\": \"2100-01-01T00:00:00Z\"}");
    }

    @Test
    @DisplayName("P11, I14: a sale that Redis lost is rebuilt with its new times")
    void rebuilt() {
        String sale = pods.prepare(ITEMS);
        String path = "/v1/sales/" + sale;
        assertThat(pods.buy(sale, "u1", "k1").status()).isEqualTo(201);
        assertThat(operator().patch(path, "{\"title\":\"Later\"," + LATE + "}").status())
                .isEqualTo(200);
        awaitTakenOver(sale);
        pods.awaitStored(sale, 1);

        pods.redis("FLUSHALL");

        Await.until("readers see it", LedgerPods.SOON,
                () -> operator().get(path).word().equals("not-loaded"));
        assertThat(operator().patch(path, "{\"title\":\"x\"}").word()).isEqualTo("not-loaded");
        Answer repaired = operator().post(path + "/books/repair");
        assertThat(repaired.body().at("/books/verdict").asText()).as("%s", repaired)
                .isEqualTo("balanced");
        Answer view = operator().get(path);
        assertThat(view.body().path("title").asText()).isEqualTo("Later");
        assertThat(view.body().path("closesAt").asText()).isEqualTo("2100-01-01T00:00:00Z");
        assertThat(operator().put(path, "{\"title\":\"Later\"," + ITEMS + "," + LATE + "}")
                .status()).isEqualTo(200);
        assertThat(operator().patch(path, "{\"closesAt\":null}").status()).isEqualTo(200);
        assertThat(pods.buy(sale, "u2", "k2").status()).isEqualTo(201);
    }
}
