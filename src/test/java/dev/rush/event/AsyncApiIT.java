package dev.rush.event;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rush.dev.EmbeddedLedger;
import dev.rush.http.OpenApiDocument;
import dev.rush.order.LedgerPods;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.Environments;
import dev.rush.testing.Sources;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The service sends what docs/reference/asyncapi.yaml describes. */
class AsyncApiIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Types that need a failure, which this test does not cause. */
    private static final Set<String> RARE =
            Set.of("dev.rush.order.rejected", "dev.rush.grab.rejected");
    private static final AsyncApiDocument DOCUMENT = new AsyncApiDocument();
    private static LedgerPods pods;

    @BeforeAll
    static void start() {
        EmbeddedLedger ledger = Environments.ledger();
        pods = new LedgerPods("asyncapi", ledger.freshDatabase(), Map.of(
                "rush.webhooks.allow-http", "true", "rush.webhooks.allowed-networks",
                "127.0.0.0/8"));
        pods.update("UPDATE ledger SET checked_at = checked_at - interval '2 minutes'");
    }

    @AfterAll
    static void stop() {
        pods.close();
    }

    private static Api operator() {
        return pods.api().asOperator();
    }

    @Test
    @DisplayName("E3: the service serves the committed document")
    void isServed() {
        Answer answer = pods.api().get("/q/asyncapi");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Content-Type")).startsWith("application/yaml");
        assertThat(OpenApiDocument.yaml(answer.body().asText()))
                .isEqualTo(OpenApiDocument.yaml(Sources.text(AsyncApiDocument.FILE)));
    }

    @Test
    @DisplayName("E3: events of every type, by feed and webhook, conform to the document")
    void eventsConform() {
        try (Receiver receiver = new Receiver()) {
            is(201, operator().put("/v1/webhooks/asyncapi", json("{'url':'" + receiver.url()
                    + "','types':['dev.rush.*'],'secret':'" + SECRET + "'}")));
            orders();
            offers();
            Set<String> wanted = new TreeSet<>(EventTypes.known());
            wanted.removeAll(RARE);
            Await.until("the feed has all types", SOON, () -> types().containsAll(wanted),
                    () -> types().toString());
            Await.until("the webhook has all types", SOON, () -> receiver.all().stream()
                    .map(delivery -> read(delivery.body()).path("type").asText())
                    .toList().containsAll(wanted));
            receiver.all().forEach(AsyncApiIT::checkDelivery);
            is(204, operator().delete("/v1/webhooks/asyncapi"));
        }
    }

    private static void checkDelivery(Receiver.Received delivery) {
        ObjectNode headers = JSON.createObjectNode().put("webhook-id", delivery.id())
                .put("webhook-timestamp", delivery.timestamp())
                .put("webhook-signature", delivery.signature());
        String message = "/components/messages/webhook-delivery/";
        assertThat(DOCUMENT.violations(message + "headers", headers)).isEmpty();
        assertThat(delivery.contentType()).isEqualTo(
                DOCUMENT.root.at(message + "contentType").asText());
        assertThat(DOCUMENT.violations(message + "payload", read(delivery.body())))
                .as(delivery.body()).isEmpty();
    }

    /** Places an order that is confirmed and returned, and one that is never paid. */
    private static void orders() {
        String sale = pods.prepare("\"paymentWindow\":\"PT1S\"");
        String unpaid = pods.prepare("\"paymentWindow\":\"PT15M\"");
        is(201, pods.buy(sale, "ada", null));
        String order = is(201, pods.buy(unpaid, "eve", null)).body().path("order").asText();
        Await.until("it is confirmed", SOON, () -> operator().post("/v1/sales/" + unpaid
                + "/orders/" + order + "/confirm", json("{'paymentReference':'pay-1'}"))
                .status() == 200);
        is(200, pods.giveBack(unpaid, "eve", order));
    }

    /** Changes a sale and a rain in every way; both also open and run out. */
    private static void offers() {
        String sale = "/v1/sales/asyncapi";
        is(201, operator().put(sale, json("{'title':'a','items':[{'sku':'apple','total':2}]}")));
        is(200, operator().patch(sale + "/items/apple", "{\"total\":1}"));
        is(200, operator().patch(sale, json("{'title':'b','closesAt':'"
                + Instant.now().plusSeconds(3_600) + "'}")));
        is(201, pods.buy("asyncapi", "ada", null));
        is(200, operator().post(sale + "/pause"));
        is(200, operator().post(sale + "/resume"));
        String rain = "/v1/rains/asyncapi";
        is(201, operator().put(rain, json("{'title':'r','envelopes':{'amounts':[9]}}")));
        is(201, pods.api().as("ada").post(rain + "/grabs"));
        is(200, operator().post(rain + "/pause"));
        is(200, operator().post(rain + "/resume"));
        Await.until("both have run out", SOON, () -> types().containsAll(
                Set.of("dev.rush.sale.sold-out", "dev.rush.rain.emptied")),
                () -> types().toString());
        is(200, operator().post(sale + "/close"));
        is(200, operator().post(rain + "/close"));
    }

    /** The types of all events so far; checks every page against the document. */
    private static Set<String> types() {
        Set<String> types = new TreeSet<>();
        String cursor = "1.0.0";
        JsonNode page;
        do {
            page = is(200, operator().get("/v1/events?limit=1000&after=" + cursor)).body();
            assertThat(DOCUMENT.violations("/components/messages/feed-page/payload", page))
                    .as(page.toString()).isEmpty();
            page.path("events").forEach(event -> types.add(event.path("type").asText()));
            cursor = page.path("next").asText();
        } while (!page.path("events").isEmpty());
        return types;
    }

    @Test
    @DisplayName("E3: the first event of a stream of a sale or rain conforms to the document")
    void viewsConform() throws Exception {
        String sale = pods.prepare("\"paymentWindow\":\"PT15M\"");
        is(201, operator().put("/v1/rains/view", json("{'envelopes':{'amounts':[9,4]}}")));
        for (String message : List.of("sale-view /v1/sales/" + sale, "rain-view /v1/rains/view")) {
            String[] words = message.split(" ");
            JsonNode view = first(words[1] + "/events");
            assertThat(DOCUMENT.violations("/components/messages/" + words[0] + "/payload", view))
                    .as(view.toString()).isEmpty();
        }
    }

    private static JsonNode first(String path) throws IOException, InterruptedException {
        HttpResponse<Stream<String>> stream = HttpClient.newHttpClient().send(
                HttpRequest.newBuilder(URI.create(pods.first().baseUri() + path)).build(),
                BodyHandlers.ofLines());
        try (Stream<String> lines = stream.body()) {
            return read(lines.filter(line -> line.startsWith("data:")).findFirst()
                    .orElseThrow().substring(5));
        }
    }

    private static JsonNode read(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new AssertionError(text, e);
        }
    }
}
