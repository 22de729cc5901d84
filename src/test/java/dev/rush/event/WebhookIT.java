package dev.rush.event;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.json;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.dev.EmbeddedLedger;
import dev.rush.order.LedgerPods;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.FirstEpoch;
import dev.rush.testing.Pod;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Events by webhook, while pods are killed, and by feed. */
class WebhookIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String OTHER_SECRET = SECRET.replace("MfK", "AAA");
    private static final int ROUNDS = 2;
    private static final int ORDERS = 10;
    private static String ledgerUrl;
    private static LedgerPods pods;
    private static Pod worker;

    /** The pods that clients call write nothing, so that only workers lead. */
    @BeforeAll
    static void start() {
        EmbeddedLedger ledger = Environments.ledger();
        ledgerUrl = ledger.freshDatabase();
        pods = new LedgerPods("webhooks", ledgerUrl, Map.of("rush.role", "api",
                "rush.webhooks.allow-http", "true", "rush.webhooks.allowed-networks",
                "127.0.0.0/8", "rush.webhooks.retry", "PT0.1S", "rush.webhooks.timeout", "PT1S"));
        worker = startWorker(0);
        FirstEpoch.age(ledgerUrl);
    }

    @AfterAll
    static void stop() {
        worker.close();
        pods.close();
    }

    private static Pod startWorker(int number) {
        return pods.startPod("webhooks-worker-" + number, Map.of("rush.role", "all"));
    }

    private static Api operator() {
        return pods.api().asOperator();
    }

    private static String body(String url, String types, String secret) {
        return json("{'url':'" + url + "','types':['" + types + "']"
                + (secret == null ? "" : ",'secret':'" + secret + "'") + "}");
    }

    @Test
    @DisplayName("E1: a webhook is created, changed, rotated and removed; no secret is ever shown")
    void keepsWebhooks() {
        String path = "/v1/webhooks/warehouse";
        String url = "https://rush.invalid/hook";
        refused(operator().get(path), "not-found");
        refused(operator().put(path, body(url, "dev.rush.*", null)), "invalid-request");
        List<Answer> answers = new ArrayList<>();
        answers.add(is(201, operator().put(path, body(url, "dev.rush.order.*", SECRET))));
        answers.add(is(200, operator().put(path, body(url, "dev.rush.order.*", SECRET))));
        answers.add(is(200, operator().put(path, body(url, "dev.rush.*", null))));
        assertThat(answers.get(2).body().has("oldSecretUntil")).isFalse();
        answers.add(is(200, operator().put(path, body(url, "dev.rush.*", OTHER_SECRET))));
        assertThat(answers.get(3).body().has("oldSecretUntil")).isTrue();
        answers.add(is(200, operator().get(path)));
        assertThat(answers.get(4).body().path("url").asText()).isEqualTo(url);
        assertThat(answers.get(4).body().path("types")).hasToString("[\"dev.rush.*\"]");
        answers.add(is(200, operator().get("/v1/webhooks")));
        answers.add(is(200, operator().get(path + "/deliveries?state=failed")));
        assertThat(answers).allSatisfy(answer -> assertThat(answer.toString())
                .doesNotContain(SECRET.substring(6), OTHER_SECRET.substring(6)));
        assertThat(sql("SELECT string_agg(action || COALESCE(before::text, '')"
                + " || COALESCE(after::text, ''), ' ' ORDER BY xact) FROM audit"
                + " WHERE subject = 'webhook/warehouse'"))
                .contains("webhook.created", "webhook.changed").doesNotContain("whsec");
        assertThat(worker.log() + pods.first().log()).doesNotContain(SECRET, OTHER_SECRET);
        refused(operator().post(path + "/deliveries/987654321/redeliver"), "not-found");
        is(204, operator().delete(path));
        refused(operator().delete(path), "not-found");
        refused(operator().get(path + "/deliveries"), "not-found");
    }

    @Test
    @DisplayName("E1: invalid addresses, types and secrets are refused at once")
    void refusesInvalidDefinitions() {
        String path = "/v1/webhooks/bad";
        for (String url : List.of("ftp://a.example/", "https://", "https://u:p@a.example/",
                "https://a.example/#x", "https://10.1.2.3/", "http://[::1]/", "a.example", "",
                "https://a.example:0/", "https://a.example/" + "x".repeat(2_048))) {
            Answer answer = refused(operator().put(path, body(url, "dev.rush.*", SECRET)),
                    "invalid-request");
            assertThat(answer.body().path("violations")).hasSize(1);
            assertThat(answer.body().path("violations").get(0).path("field").asText())
                    .as(url).isEqualTo("url");
        }
        refused(operator().put(path, body("https://a.example/", "dev.rush.nothing", SECRET)),
                "invalid-request");
        refused(operator().put(path, body("https://a.example/", "dev.rush.*", "whsec_short")),
                "invalid-request");
        refused(operator().put(path, json("{'url':'https://a.example/','types':[]}")),
                "invalid-request");
        refused(operator().put(path, json("{'urls':'https://a.example/'}")), "invalid-request");
        refused(operator().get("/v1/webhooks/bad/deliveries?state=done"), "invalid-request");
        refused(operator().get(path), "not-found");
    }

    @Test
    @DisplayName("E1: while the leading pod is killed repeatedly, each event arrives at least once,"
            + " and an order's events in order")
    void survivesKills() {
        String sale = pods.prepare("\"paymentWindow\":\"PT15M\"");
        try (Receiver receiver = new Receiver()) {
            is(201, operator().put("/v1/webhooks/all",
                    body(receiver.url(), "dev.rush.order.*", SECRET)));
            Map<String, String> orders = new LinkedHashMap<>();
            for (int round = 1; round <= ROUNDS; round++) {
                List<String> fresh = new ArrayList<>();
                for (int i = 0; i < ORDERS; i++) {
                    String buyer = "buyer-" + round + "-" + i;
                    String order = is(201, pods.buy(sale, buyer, null)).body()
                            .path("order").asText();
                    orders.put(order, buyer);
                    fresh.add(order);
                }
                fresh.forEach(order -> Await.until(order + " is confirmed", SOON, () ->
                        operator().post("/v1/sales/" + sale + "/orders/" + order + "/confirm")
                                .status() == 200));
                Await.until("some of these are delivered", SOON, () -> receiver.accepted().stream()
                        .anyMatch(event -> fresh.contains(event.substring(0, 36))));
                worker.kill();
                worker = startWorker(round);
            }
            orders.forEach((order, buyer) ->
                    is(200, pods.giveBack(sale, buyer, order)));
            Await.until("all are delivered", SOON, () ->
                            receiver.accepted().size() >= 3 * orders.size(),
                    () -> receiver.accepted().size() + " of " + 3 * orders.size() + worker.log());
            orders.keySet().forEach(order ->
                    assertThat(receiver.accepted(order)).isEqualTo(WebhookScene.life(order)));
            is(204, operator().delete("/v1/webhooks/all"));
        }
    }

    @Test
    @DisplayName("E1: the feed has every event after a cursor, waits for the next one, and shows"
            + " orders as their GET does")
    void feedsEventsAfterACursor() {
        String cursor = "";
        JsonNode page;
        do {
            page = is(200, operator().get("/v1/events?limit=1000&after="
                    + (cursor.isEmpty() ? "1.0.0" : cursor))).body();
            cursor = page.path("next").asText();
        } while (!page.path("events").isEmpty());
        String from = cursor;
        CompletableFuture<Answer> waiting = operator().callAsync("GET",
                "/v1/events?wait=20&after=" + from, null);
        String sale = pods.prepare("");
        Answer first = is(200, waiting.join());
        assertThat(first.body().path("events").get(0).path("type").asText())
                .isEqualTo("dev.rush.sale.prepared");
        assertThat(first.body().path("events").get(0).path("subject").asText()).isEqualTo(sale);
        String order = is(201, pods.buy(sale, "ada", null)).body().path("order").asText();
        String next = first.body().path("next").asText();
        JsonNode event = next(next, "dev.rush.order.confirmed");
        assertThat(event.path("id").asText()).isEqualTo(order + ".confirmed");
        JsonNode shown = is(200, pods.api().as("ada")
                .get("/v1/sales/" + sale + "/orders/" + order)).body();
        assertThat(event.path("data")).isEqualTo(shown);
    }

    @Test
    @DisplayName("E1: the feed refuses strangers, invalid queries and expired cursors")
    void feedRefuses() {
        is(200, pods.api().as("a").with("X-User-Roles", "auditor").get("/v1/events"));
        refused(pods.api().as("a").get("/v1/events"), "forbidden");
        for (String query : List.of("after=nonsense", "after=1.2", "limit=0", "limit=1001",
                "wait=31", "wait=x")) {
            refused(operator().get("/v1/events?" + query), "invalid-request");
        }
        Answer expired = refused(operator().get("/v1/events?after=zz.1.1"), "cursor-expired");
        assertThat(expired.body().path("oldest").asText()).isEqualTo("1.0.0");
    }

    /** Waits for the first event of a type after a cursor. */
    private static JsonNode next(String cursor, String type) {
        String after = cursor;
        while (true) {
            JsonNode page = is(200, operator().get("/v1/events?wait=20&after=" + after)).body();
            assertThat(page.path("events")).as("%s comes in time", type).isNotEmpty();
            for (JsonNode event : page.path("events")) {
                if (event.path("type").asText().equals(type)) {
                    return event;
                }
            }
            after = page.path("next").asText();
        }
    }

    @Test
    @DisplayName("E1: the feed says in order that a sale opens, sells out and closes by itself")
    void feedsChangesThatNobodyMade() {
        String sale = "by-itself";
        is(201, operator().put("/v1/sales/" + sale, json("{'title':'a','items':"
                + "[{'sku':'apple','title':'a','total':1}]}")));
        is(201, pods.buy(sale, "ada", null));
        Await.until("the sale has sold out", SOON, () -> changes(sale).contains("sold-out"),
                () -> changes(sale).toString());
        is(200, operator().patch("/v1/sales/" + sale,
                json("{'closesAt':'" + Instant.now().plusSeconds(6) + "'}")));
        Await.until("the sale has closed", SOON, () -> changes(sale).contains("closed"),
                () -> changes(sale).toString());
        assertThat(changes(sale))
                .containsExactly("prepared", "opened", "sold-out", "changed", "closed");
    }

    private static List<String> changes(String sale) {
        List<String> changes = new ArrayList<>();
        String cursor = "1.0.0";
        JsonNode page;
        do {
            page = is(200, operator().get("/v1/events?limit=1000&after=" + cursor)).body();
            page.path("events").forEach(event -> {
                if (event.path("subject").asText().equals(sale)) {
                    changes.add(event.path("type").asText().substring("dev.rush.sale.".length()));
                }
            });
            cursor = page.path("next").asText();
        } while (!page.path("events").isEmpty());
        return changes;
    }

    /** The first column of the first row, or the number of rows changed. */
    private static String sql(String query) {
        try (Connection connection = DriverManager.getConnection(ledgerUrl);
                Statement statement = connection.createStatement()) {
            if (!statement.execute(query)) {
                return Integer.toString(statement.getUpdateCount());
            }
            try (var row = statement.getResultSet()) {
                row.next();
                return row.getString(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }
}
