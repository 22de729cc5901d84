package dev.rush.event;

import static dev.rush.event.OrderLives.life;
import static dev.rush.testing.Answers.is;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.order.LedgerPods;
import dev.rush.testing.Api;
import dev.rush.testing.Await;
import dev.rush.testing.FirstEpoch;
import dev.rush.testing.KafkaBroker;
import dev.rush.testing.KafkaRecords;
import dev.rush.testing.KafkaRecords.Event;
import dev.rush.testing.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Orders in PostgreSQL and Kafka ({@code rush.orders.sink=both}), while either side fails. */
class KafkaIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String TOPIC = "shop.events";
    private static KafkaBroker broker;
    private static KafkaRecords records;
    private static LedgerPods pods;
    private static Pod worker;

    /** The pods that clients call write nothing, so that only workers lead. */
    @BeforeAll
    static void start() {
        broker = KafkaBroker.start();
        pods = new LedgerPods("kafka", Map.of("rush.role", "api", "rush.orders.sink", "both",
                "kafka.bootstrap.servers", broker.servers(), "rush.events.kafka.topic", TOPIC,
                "rush.events.kafka.timeout", "PT2S", "rush.confirm-by", "buyer"));
        worker = startWorker(0);
        FirstEpoch.age(pods.ledgerUrl());
        records = new KafkaRecords(broker, TOPIC);
    }

    @AfterAll
    static void stop() {
        records.close();
        worker.close();
        pods.close();
        broker.close();
    }

    private static Pod startWorker(int number) {
        return pods.startPod("kafka-worker-" + number, Map.of("rush.role", "all"));
    }

    /** Buys, each time under its own key. Returns the buyers by order. */
    private static Map<String, String> buy(String sale, String name, int orders) {
        Map<String, String> bought = new LinkedHashMap<>();
        for (int i = 0; i < orders; i++) {
            String buyer = name + "-" + i;
            bought.put(is(201, pods.buy(sale, buyer, buyer)).body().path("order").asText(), buyer);
        }
        return bought;
    }

    private static void confirm(String sale, Map<String, String> orders) {
        Api operator = pods.api().asOperator();
        orders.keySet().forEach(order -> Await.until(order + " is confirmed", SOON, () ->
                operator.post("/v1/sales/" + sale + "/orders/" + order + "/confirm")
                        .status() == 200));
    }

    private static void awaitEvents(Map<String, String> orders, int each) {
        Await.until("all events have arrived", SOON, () -> {
            Map<String, Long> byKey = records.all().stream().collect(Collectors.groupingBy(
                    Event::key, Collectors.mapping(Event::id, Collectors.collectingAndThen(
                            Collectors.toSet(), ids -> (long) ids.size()))));
            return orders.keySet().stream().allMatch(order ->
                    byKey.getOrDefault(order, 0L) == each);
        }, () -> records.all().size() + " have arrived\n" + worker.log());
    }

    @Test
    @DisplayName("E1, O5: while the pod that feeds Kafka is killed, each event arrives at least"
            + " once, an order's events in order; duplicates have the same id")
    void survivesKills() {
        String sale = pods.prepare("\"paymentWindow\":\"PT15M\"");
        Map<String, String> orders = buy(sale, "before", 10);
        confirm(sale, orders);
        Await.until("some have arrived", SOON, () -> records.all().stream().anyMatch(event ->
                orders.containsKey(event.key())));
        worker.kill();
        worker = startWorker(1);
        orders.putAll(buy(sale, "after", 10));
        confirm(sale, orders);
        orders.forEach((order, buyer) -> is(200, pods.giveBack(sale, buyer, order)));
        awaitEvents(orders, 3);
        orders.keySet().forEach(order -> {
            assertThat(records.ids(order)).isEqualTo(life(order));
            assertThat(records.all()).filteredOn(event -> event.key().equals(order))
                    .allSatisfy(event -> {
                        assertThat(event.type()).startsWith("dev.rush.order.");
                        assertThat(event.value()).contains("\"id\":\"" + event.id() + "\"");
                    });
        });
        List<String> values = new ArrayList<>();
        records.all().stream().collect(Collectors.groupingBy(Event::id,
                Collectors.mapping(Event::value, Collectors.toSet()))).forEach((id, all) ->
                values.addAll(all));
        assertThat(values).hasSameSizeAs(
                records.all().stream().map(Event::id).distinct().toList());
    }

    @Test
    @DisplayName("E1, O5: while Kafka hangs or is down, purchases and the ledger go on; all events"
            + " arrive afterwards")
    void survivesKafkaOutages() {
        String sale = pods.prepare("");
        Map<String, String> orders = buy(sale, "before", 5);
        awaitEvents(orders, 1);
        broker.freeze();
        try {
            orders.putAll(buy(sale, "frozen", 10));
            pods.awaitStored(sale, 15);
            Await.until("the lag is measured", SOON, () ->
                    worker.metric("rush_kafka_lag_seconds") > 1);
        } finally {
            broker.thaw();
        }
        awaitEvents(orders, 1);
        broker.kill();
        orders.putAll(buy(sale, "down", 10));
        pods.awaitStored(sale, 25);
        Await.until("sending fails", SOON, () -> worker.metric(
                "rush_kafka_events_total", "result=\"failed\"") > 0);
        assertThat(pods.api().asOperator().get("/v1/sales/" + sale + "/books").status())
                .isEqualTo(200);
        broker.restart();
        awaitEvents(orders, 1);
        Await.until("no lag is left", SOON, () -> worker.metric("rush_kafka_lag_seconds") == 0);
    }
}
