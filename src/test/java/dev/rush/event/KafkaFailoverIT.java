package dev.rush.event;

import static dev.rush.event.OrderLives.life;
import static java.util.stream.Collectors.collectingAndThen;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.dev.EmbeddedLedger;
import dev.rush.ledger.TestJournal;
import dev.rush.testing.KafkaBroker;
import dev.rush.testing.KafkaRecords;
import dev.rush.testing.KafkaRecords.Event;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A failover among three brokers that replicate every record. */
class KafkaFailoverIT {
    private static final String TOPIC = "failover";
    private static EmbeddedLedger postgres;
    private static TestJournal journal;
    private static List<KafkaBroker> brokers;
    private static String servers;

    private final ConcurrentLinkedQueue<String> orders = new ConcurrentLinkedQueue<>();
    private volatile boolean running = true;

    @BeforeAll
    static void start() {
        postgres = EmbeddedLedger.start();
        journal = new TestJournal(postgres.freshDatabase());
        brokers = KafkaBroker.start(3);
        servers = brokers.stream().map(KafkaBroker::servers).collect(joining(","));
        // A reader enters a new epoch only when it is a minute old.
        journal.sql("UPDATE ledger SET checked_at = checked_at - interval '2 minutes'");
    }

    @AfterAll
    static void stop() throws Exception {
        brokers.forEach(KafkaBroker::close);
        journal.close();
        postgres.close();
    }

    /** The brokers that lead the partitions of the topic. */
    private static List<KafkaBroker> leaders() {
        try (Admin admin = Admin.create(
                Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers))) {
            return admin.describeTopics(List.of(TOPIC)).allTopicNames().get().get(TOPIC)
                    .partitions().stream().map(part -> brokers.get(part.leader().id() - 1))
                    .toList();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private void live() {
        OrderLives lives = new OrderLives(journal);
        while (running) {
            orders.add(lives.live());
        }
    }

    private void awaitMore(KafkaScene scene) {
        double before = scene.events("delivered");
        KafkaScene.await("more is delivered", () -> scene.events("delivered") > before + 30);
    }

    @Test
    @DisplayName("E1, O5: when the broker that leads a partition is killed while orders flow, no"
            + " event is missing, and an order's events are in order")
    void leaderFails() throws InterruptedException {
        Thread flow = new Thread(this::live, "orders");
        try (KafkaScene scene = new KafkaScene(journal, servers, TOPIC)) {
            flow.start();
            awaitMore(scene);
            // The first broker is also the controller, whose failover is not tested here.
            KafkaBroker leader = leaders().stream().filter(broker -> broker != brokers.get(0))
                    .findFirst().orElseThrow();
            leader.kill();
            KafkaScene.await("other brokers lead", () -> !leaders().contains(leader));
            awaitMore(scene);
            running = false;
            flow.join();
            KafkaScene.await("no lag is left", () -> scene.lag() == 0
                    && scene.events("delivered") >= 3 * orders.size());
            try (KafkaRecords records = new KafkaRecords(servers, TOPIC)) {
                // A duplicate counts where it arrived first.
                Map<String, List<String>> arrived = records.all().stream().collect(groupingBy(
                        Event::key, mapping(Event::id, collectingAndThen(toList(), ids ->
                                ids.stream().distinct().toList()))));
                assertThat(arrived).hasSameSizeAs(orders);
                orders.forEach(order -> assertThat(arrived).containsEntry(order, life(order)));
            }
        } finally {
            running = false;
            flow.join();
        }
    }
}
