package dev.rush.order;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.FirstEpoch;
import dev.rush.testing.Pod;
import dev.rush.testing.TestSale;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Auditors read who changed what, and why, and wait for events. */
class AuditIT {

    private static final String LONG = "0123456789012345678901234567890123456789"
            + "01234567890123456789012345678901234567890123456789012345678901234567890123456789"
            + "012345678901234567890123456789012345678901234567890123456789012345678901234567890";
    private static LedgerScene scene;
    private static Pod pod;
    private static Api auditor;

    @BeforeAll
    static void start() {
        scene = new LedgerScene("audit");
        pod = scene.pod("audit", "rush.events.waiting", "1");
        scene.awaitLedger(pod);
        FirstEpoch.age(scene.ledgerUrl());
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
    @DisplayName("E1: a call that waits for events keeps no place once its client is gone")
    void disconnectedCallsKeepNoPlace() throws IOException {
        try (Socket client = new Socket(pod.baseUri().getHost(), pod.baseUri().getPort())) {
            client.getOutputStream().write(("GET " + now() + "&wait=30 HTTP/1.1\r\nHost: x\r\n"
                    + "X-User-Id: ada\r\nX-User-Roles: auditor\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            Await.until("its call waits", LedgerScene.SOON,
                    () -> auditor.get(now() + "&wait=1").status() == 503);
        }
        Await.until("its place is free", Duration.ofSeconds(4),
                () -> auditor.get(now() + "&wait=1").status() == 200);
    }

    /** The path of the events from now on. */
    private static String now() {
        return "/v1/events?after="
                + is(200, auditor.get("/v1/events?after=now")).body().path("next").asText();
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

    /** The causes that callers gave. */
    private static List<String> causesOf(String subject) {
        return changes(1000).stream()
                .filter(change -> change.path("subject").asText().startsWith(subject)
                        && change.has("cause")
                        && !change.path("actor").asText().startsWith("service:"))
                .map(change -> change.path("action").asText() + ": "
                        + change.path("cause").asText())
                .toList();
    }

    @Test
    @DisplayName("A1: the audit has the cause that a caller states")
    void causesAreRecorded() {
        TestSale sale = TestSale.unknown(scene.environment(), pod.api());
        sale.prepare("apple:10:0", "'paymentWindow':'PT1H'");
        Api operator = pod.api().as("olga").with("X-User-Roles", "operator");
        is(200, operator.patch(sale.path() + "/items/apple?cause=restock", "{\"total\":12}"));
        is(200, operator.post(sale.path() + "/pause?cause=wrong%20price%20%E2%82%AC"));
        is(200, operator.post(sale.path() + "/resume?cause="));
        is(204, operator.put("/v1/blocklist/trudy?cause=a%20bot", null));
        is(204, operator.delete("/v1/blocklist/trudy?cause=no%20bot"));
        String paid = sale.bought("711", "apple");
        String broken = sale.bought("712", "apple");
        scene.awaitOrders(sale.id(), "reserved", 2);
        is(200, pod.api().as("pia").with("X-User-Roles", "payer")
                .post(sale.path() + "/orders/" + paid + "/confirm?cause=by%20invoice"));
        is(200, operator.post(sale.path() + "/returns?user=712&cause=broken",
                "{\"order\":\"" + broken + "\"}"));

        Await.until("Redis's changes are in the ledger", LedgerScene.SOON,
                () -> causesOf(sale.id()).size() >= 5 && causesOf("trudy").size() >= 2,
                () -> changes(1000).toString());
        assertThat(causesOf(sale.id())).containsExactlyInAnyOrder(
                "item.total-begun: restock", "item.total-changed: restock",
                "sale.paused: wrong price €", "order.confirmed: by invoice",
                "order.returned: broken");
        assertThat(causesOf("trudy")).containsExactlyInAnyOrder(
                "blocklist.added: a bot", "blocklist.removed: no bot");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a%0Ab", "a%00b", "%C2%9B", LONG})
    @DisplayName("A cause that is too long or not printable is refused, and nothing is changed")
    void badCausesAreRefused(String cause) {
        TestSale sale = TestSale.unknown(scene.environment(), pod.api());
        sale.prepare("apple:10:0", "");
        Api operator = pod.api().as("olga").with("X-User-Roles", "operator");
        Answer refused = refused(operator.post(sale.path() + "/pause?cause=" + cause),
                "invalid-request");
        assertThat(refused.body().path("violations").path(0).path("field").asText())
                .isEqualTo("cause");
        assertThat(is(200, operator.get(sale.path())).body().path("state").asText())
                .isEqualTo("open");
    }

    @Test
    @DisplayName("A1: the pause after a half-done script has the script's error as its cause")
    void halfDoneHasACause() {
        TestSale sale = TestSale.unknown(scene.environment(), pod.api());
        sale.prepare("apple:10:1", "");
        scene.redis("HSET", sale.key("buyers"), "711", "nonsense\n");
        refused(sale.buy("711", "apple"), "failed");
        String where = " FROM audit WHERE action = 'sale.paused' AND subject = '" + sale.id()
                + "' AND actor = 'service:half-done'";
        Await.until("the pause is audited", LedgerScene.SOON,
                () -> scene.count("SELECT count(*)" + where) == 1);
        assertThat(scene.sql("SELECT cause" + where)).startsWith("failed user_script:");
    }

    @Test
    @DisplayName("A1: a total that Redis never decided has its actor in the audit")
    void undecidedTotalsAreRecorded() {
        TestSale sale = TestSale.unknown(scene.environment(), pod.api());
        sale.prepare("apple:10:0", "");
        sale.bought("711", "apple");
        Api operator = pod.api().as("olga").with("X-User-Roles", "operator");
        refused(operator.patch(sale.path() + "/items/apple", "{\"total\":0}"), "below-ordered");
        assertThat(changesOf(sale.id() + "/apple", 1000))
                .containsExactly("operator:olga item.total-begun  0");
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
