package dev.rush.order;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Auditors read who changed what. */
class AuditIT {
    private static LedgerScene scene;
    private static Pod pod;
    private static Api auditor;

    @BeforeAll
    static void start() {
        scene = new LedgerScene("audit");
        pod = scene.pod("audit");
        scene.awaitLedger(pod);
        // A reader enters a new epoch only when it is a minute old.
        Await.until("the ledger was checked", LedgerScene.SOON, () -> scene.count(
                "UPDATE ledger SET checked_at = checked_at - interval '2 minutes'"
                + " WHERE checked_at IS NOT NULL") == 1);
        auditor = pod.api().as("ada").with("X-User-Roles", "auditor");
    }

    @AfterAll
    static void stop() {
        pod.close();
        scene.close();
    }

    /** All changes so far, read page by page. */
    private static List<JsonNode> changes(int limit) {
        List<JsonNode> all = new ArrayList<>();
        String after = "";
        while (after != null) {
            JsonNode page = is(200, auditor.get("/v1/audit?limit=" + limit + after)).body();
            assertThat(page.path("changes").size()).isLessThanOrEqualTo(limit);
            page.path("changes").forEach(all::add);
            after = page.has("next") ? "&after=" + page.path("next").asText() : null;
        }
        return all;
    }

    private static List<String> changesOf(String subject, int limit) {
        return changes(limit).stream()
                .filter(change -> change.path("subject").asText().startsWith(subject))
                .map(change -> String.join(" ", change.path("actor").asText(),
                        change.path("action").asText(), change.path("before").toString(),
                        change.path("after").toString()))
                .toList();
    }

    @Test
    @DisplayName("A1: auditors read who changed a sale, its totals, an order and the blocklist")
    void auditorsReadChanges() {
        TestSale sale = TestSale.unknown(scene.environment(), pod.api());
        sale.prepare("apple:10:0", "'paymentWindow':'PT1H'");
        Api operator = pod.api().as("olga").with("X-User-Roles", "operator");
        is(200, operator.patch(sale.path() + "/items/apple", "{\"total\":12}"));
        is(200, operator.post(sale.path() + "/pause"));
        is(200, operator.post(sale.path() + "/resume"));
        String order = sale.bought("711", "apple");
        scene.awaitOrders(sale.id(), "reserved", 1);
        is(200, pod.api().as("pia").with("X-User-Roles", "payer")
                .post(sale.path() + "/orders/" + order + "/confirm"));
        is(204, operator.put("/v1/blocklist/mallory", null));

        Await.until("Redis's changes are in the ledger", LedgerScene.SOON,
                () -> changesOf(sale.id(), 1000).size() >= 5
                        && !changesOf("mallory", 1000).isEmpty(),
                () -> changes(1000).toString());
        List<String> all = changesOf(sale.id(), 1000);
        assertThat(all).anySatisfy(change -> assertThat(change).contains("sale.prepared"))
                .anySatisfy(change -> assertThat(change)
                        .startsWith("operator:olga").contains("10 12"))
                .anySatisfy(change -> assertThat(change)
                        .startsWith("operator:olga sale.paused"))
                .anySatisfy(change -> assertThat(change)
                        .startsWith("operator:olga sale.resumed"))
                .contains("payer:pia order.confirmed \"reserved\" \"confirmed\"");
        assertThat(changesOf("mallory", 1000)).singleElement().satisfies(change ->
                assertThat(change).startsWith("operator:olga blocklist.added"));
        assertThat(changesOf(sale.id(), 1)).isEqualTo(all);
        assertThat(changes(1000)).allSatisfy(change -> assertThat(change.path("actor").asText())
                .doesNotStartWith("buyer:"));
    }

    @Test
    @DisplayName("A1: a cursor that this ledger never gave out is expired; others are refused")
    void cursorsAreChecked() {
        Answer expired = refused(auditor.get("/v1/audit?after=zzz.1.1"), "cursor-expired");
        String oldest = expired.body().path("oldest").asText();
        is(200, auditor.get("/v1/audit?after=" + oldest));
        for (String query : new String[] {"after=nonsense", "limit=0", "limit=1001", "limit=x"}) {
            refused(auditor.get("/v1/audit?" + query), "invalid-request");
        }
    }
}
