package dev.rush.event;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.json;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.redis.Partitions;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Await;
import dev.rush.testing.KafkaBroker;
import dev.rush.testing.KafkaRecords;
import dev.rush.testing.KafkaRecords.Event;
import dev.rush.testing.Pod;
import dev.rush.testing.Resp;
import dev.rush.testing.TestRain;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Orders in Kafka without any PostgreSQL ({@code rush.orders.sink=kafka}). */
class KafkaAloneIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int BACKLOG = 40;
    private static EmbeddedRedis redis;
    private static KafkaBroker broker;
    private static KafkaRecords records;
    private static Pod api;
    private static Pod worker;

    /** The pod that clients call forwards nothing, so that workers can be killed. */
    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        broker = KafkaBroker.start();
        api = pod("kafka-alone-api", "api");
        worker = pod("kafka-alone-worker", "writer");
        records = new KafkaRecords(broker, "rush.events");
    }

    @AfterAll
    static void stop() {
        records.close();
        worker.close();
        api.close();
        broker.close();
        redis.close();
    }

    private static Pod pod(String name, String role) {
        return Pod.start(name, new HashMap<>(Map.of("quarkus.redis.hosts", redis.url(),
                "rush.orders.sink", "kafka", "kafka.bootstrap.servers", broker.servers(),
                "rush.role", role, "rush.events.kafka.timeout", "PT2S",
                "rush.writer.lease", "PT1S", "rush.backlog", Integer.toString(BACKLOG),
                "rush.rate-limit.enabled", "false")));
    }

    private static void prepare(String sale) {
        is(201, api.api().asOperator().put("/v1/sales/" + sale,
                json("{'items':[{'sku':'apple','total':1000}]}")));
    }

    private static Answer buy(String sale, String buyer) {
        return api.api().as(buyer).key(buyer).post("/v1/sales/" + sale + "/purchases",
                json("{'items':[{'sku':'apple','quantity':1}]}"));
    }

    /** Makes this number of purchases. Returns the buyers by order. */
    private static Map<String, String> buy(String sale, String name, int orders) {
        Map<String, String> bought = new LinkedHashMap<>();
        for (int i = 0; i < orders; i++) {
            String buyer = name + "-" + i;
            bought.put(is(201, buy(sale, buyer)).body().path("order").asText(), buyer);
        }
        return bought;
    }

    private static void awaitEvents(Set<String> orders) {
        Await.until("Kafka has all events", SOON, () -> records.all().stream().map(Event::key)
                .collect(Collectors.toSet()).containsAll(orders), worker::log);
    }

    private static void awaitEmpty(String offer) {
        try (Resp resp = Resp.connect(redis.port())) {
            String stream = new Partitions(64).of(offer).key("orders");
            Await.until("the stream is empty", SOON, () -> resp.number("XLEN", stream) == 0);
        }
    }

    @Test
    @DisplayName("O5: purchases, replays and grabs are answered by Redis and arrive in Kafka as"
            + " their GET shows them")
    void ordersArrive() throws Exception {
        prepare("alone");
        Map<String, String> orders = buy("alone", "ann", 10);
        orders.forEach((order, buyer) -> assertThat(is(201, buy("alone", buyer)).body()
                .path("order").asText()).isEqualTo(order));
        Api operator = api.api().asOperator();
        is(201, operator.put("/v1/rains/alone-rain",
                json(TestRain.listed("'limitPerUser':3", 9, 4, 5))));
        List<String> grabs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            grabs.add(is(201, api.api().as("bob").post("/v1/rains/alone-rain/grabs")).body()
                    .path("grab").asText());
        }
        awaitEvents(orders.keySet());
        awaitEvents(Set.copyOf(grabs));
        awaitEmpty("alone");
        for (Event event : records.all()) {
            JsonNode data = new ObjectMapper().readTree(event.value()).path("data");
            if (orders.containsKey(event.key())) {
                assertThat(event.type()).isEqualTo("dev.rush.order.accepted");
                assertThat(data).isEqualTo(is(200, api.api().as(orders.get(event.key()))
                        .get("/v1/sales/alone/orders/" + event.key())).body());
            } else if (grabs.contains(event.key())) {
                assertThat(event.type()).isEqualTo("dev.rush.grab.accepted");
                assertThat(data.path("amount").asLong()).isIn(9L, 4L, 5L);
            }
        }
        Stream.concat(orders.keySet().stream(), grabs.stream()).forEach(order ->
                assertThat(records.ids(order)).containsExactly(order + ".accepted"));
    }

    @Test
    @DisplayName("O5: while forwarding pods are killed, every order arrives; duplicates have the"
            + " same id")
    void survivesKills() {
        prepare("killed");
        Map<String, String> orders = new LinkedHashMap<>();
        for (int round = 1; round <= 2; round++) {
            orders.putAll(buy("killed", "round-" + round, 15));
            worker.kill();
            worker = pod("kafka-alone-worker-" + round, "writer");
        }
        awaitEvents(orders.keySet());
        awaitEmpty("killed");
        orders.keySet().forEach(order ->
                assertThat(records.ids(order)).containsExactly(order + ".accepted"));
        assertThat(records.all().stream().collect(Collectors.groupingBy(Event::id,
                Collectors.mapping(Event::value, Collectors.toSet())))).allSatisfy(
                        (id, values) -> assertThat(values).hasSize(1));
    }

    @Test
    @DisplayName("O4, O5: while Kafka hangs or is down, purchases go on up to the backlog, which is"
            + " measured; then all arrive")
    void survivesKafkaOutages() {
        prepare("away");
        broker.freeze();
        Map<String, String> orders;
        try {
            orders = new LinkedHashMap<>(buy("away", "frozen", 15));
        } finally {
            broker.thaw();
        }
        awaitEvents(orders.keySet());
        awaitEmpty("away");
        broker.kill();
        orders.putAll(buy("away", "down", BACKLOG));
        refused(buy("away", "one-more"), "backlogged");
        Await.until("the backlog is measured", SOON, () ->
                api.metric("rush_ledger_backlog") == BACKLOG
                        && api.metric("rush_ledger_lag_seconds") > 0);
        broker.restart();
        awaitEvents(orders.keySet());
        awaitEmpty("away");
        is(201, buy("away", "one-more"));
    }

    @Test
    @DisplayName("O5: without a ledger, definitions that need one are 400, and calls 501")
    void refusesCallsThatNeedALedger() {
        Api operator = api.api().asOperator();
        for (String field : List.of("'paymentWindow':'PT15M'", "'durability':'ledger'")) {
            Answer answer = refused(operator.put("/v1/sales/refused", json(
                    "{'items':[{'sku':'apple','total':1}]," + field + "}")), "invalid-request");
            assertThat(answer.body().path("violations").get(0).path("field").asText())
                    .isEqualTo(field.split("'")[1]);
        }
        assertThat(refused(operator.put("/v1/rains/refused",
                json(TestRain.listed("'durability':'ledger'", 1))), "invalid-request").body()
                .path("violations").get(0).path("field").asText()).isEqualTo("durability");
        prepare("needs");
        String order = buy("needs", "eve", 1).keySet().iterator().next();
        for (String path : List.of("/v1/sales/needs/books", "/v1/audit", "/v1/events",
                "/v1/webhooks", "/v1/sales/needs/returns",
                "/v1/sales/needs/orders?status=confirmed", "/v1/sales/needs/holds",
                "/v1/dead-letters")) {
            assertThat(operator.get(path).status()).as(path).isEqualTo(501);
        }
        Map<String, String> posts = Map.of("/v1/sales/needs/orders/" + order + "/confirm", "",
                "/v1/sales/needs/returns", json("{'order':'" + order + "'}"),
                "/v1/sales/needs/books/repair", "", "/v1/erasures", json("{'user':'eve-0'}"),
                "/v1/ledger/months/2026-01/archive", "", "/v1/sales/needs/holds/release", "",
                "/v1/dead-letters/1/replay", "");
        posts.forEach((path, body) -> assertThat((body.isEmpty() ? operator.post(path)
                : operator.post(path, body)).word()).as(path).isEqualTo("not-implemented"));
    }
}
