package dev.rush.event;

import static dev.rush.event.KafkaScene.await;
import static dev.rush.event.OrderLives.life;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.http.Json;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.Position;
import dev.rush.ledger.TestJournal;
import dev.rush.testing.Environments;
import dev.rush.testing.KafkaBroker;
import dev.rush.testing.KafkaRecords;
import dev.rush.testing.KafkaRecords.Event;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Feeds a real Kafka from a real journal. */
class KafkaDispatcherTest {
    private static TestJournal journal;
    private static KafkaBroker broker;
    private static int topics;

    private final String topic = "events-" + ++topics;
    private OrderLives lives;

    @BeforeAll
    static void start() {
        journal = new TestJournal(Environments.ledger().freshDatabase());
        broker = KafkaBroker.start();
        // A reader enters a new epoch only when it is a minute old.
        journal.sql("UPDATE ledger SET checked_at = checked_at - interval '2 minutes'");
    }

    @AfterAll
    static void stop() throws Exception {
        broker.close();
        journal.close();
    }

    /** Each test has a topic of its own, which gets the whole journal. */
    @BeforeEach
    void begin() {
        KafkaScene.forget(journal);
        lives = new OrderLives(journal);
    }

    @Test
    @DisplayName("E1, O5: each event arrives as the feed has it, under its subject, in order")
    void deliversInOrder() {
        try (KafkaScene scene = new KafkaScene(journal, broker, topic);
                KafkaRecords records = new KafkaRecords(broker, topic)) {
            List<String> orders = lives.live(50);
            await("all have arrived", () -> records.all().size() >= 150);
            orders.forEach(order -> assertThat(records.ids(order)).isEqualTo(life(order)));
            List<CloudEvent> feed = journal.transact((connection, ledgerState) ->
                    EventReader.read(connection, Position.START, 1_000)).events();
            Map<String, Event> arrived = records.all().stream()
                    .collect(Collectors.toMap(Event::id, event -> event, (first, again) -> first));
            assertThat(arrived.keySet()).isEqualTo(
                    feed.stream().map(CloudEvent::id).collect(Collectors.toSet()));
            assertThat(feed).allSatisfy(event -> {
                Event record = arrived.get(event.id());
                assertThat(record.value()).isEqualTo(new String(new Json().write(event)));
                assertThat(record.key()).isEqualTo(event.subject());
                assertThat(record.type()).isEqualTo(event.type());
                assertThat(record.contentType()).startsWith("application/cloudevents+json");
            });
            await("the position is stored", () -> scene.lag() == 0);
            assertThat(scene.events("delivered")).isEqualTo(feed.size());
        }
    }

    @Test
    @DisplayName("E1: events of a broker's outage arrive after it, under the same ids")
    void brokerComesBack() {
        try (KafkaScene scene = new KafkaScene(journal, broker, topic);
                KafkaRecords records = new KafkaRecords(broker, topic)) {
            String before = lives.live();
            await("the first order has arrived", () -> records.ids(before).size() == 3);
            broker.kill();
            List<String> orders = lives.live(20);
            await("the lag grows", () -> scene.lag() > 1 && scene.events("failed") > 0);
            broker.restart();
            await("all have arrived", () -> orders.stream().allMatch(order ->
                    records.ids(order).size() == 3));
            orders.forEach(order -> assertThat(records.ids(order)).isEqualTo(life(order)));
            await("the lag is gone", () -> scene.lag() == 0);
        }
    }

    @Test
    @DisplayName("E1: a hanging broker delays no webhook, and gets all events once it resumes")
    void frozenBrokerDelaysNoWebhook() {
        try (KafkaScene scene = new KafkaScene(journal, broker, topic);
                WebhookScene webhooks = new WebhookScene(journal);
                Receiver receiver = new Receiver();
                KafkaRecords records = new KafkaRecords(broker, topic)) {
            webhooks.webhook(receiver.url());
            String before = lives.live();
            await("the first order has arrived", () -> records.ids(before).size() == 3);
            broker.freeze();
            List<String> orders;
            try {
                orders = lives.live(20);
                await("the webhook has them", () -> orders.stream().allMatch(order ->
                        receiver.accepted(order).size() == 3));
                await("sending fails", () -> scene.events("failed") > 0);
            } finally {
                broker.thaw();
            }
            await("all have arrived", () -> orders.stream().allMatch(order ->
                    records.ids(order).size() == 3));
            orders.forEach(order -> assertThat(records.ids(order)).isEqualTo(life(order)));
        }
    }

    @Test
    @DisplayName("E1: the successor of a dead pod resends only events after the stored position,"
            + " with the same ids")
    void successorResends() {
        try (KafkaRecords records = new KafkaRecords(broker, topic)) {
            List<String> orders = lives.live(10);
            try (KafkaScene first = new KafkaScene(journal, broker, topic)) {
                await("all have arrived", () -> orders.stream().allMatch(order ->
                        records.ids(order).size() == 3) && first.lag() == 0);
            }
            int once = records.all().size();
            try (KafkaScene second = new KafkaScene(journal, broker, topic)) {
                String order = lives.live();
                await("only new events are sent", () -> records.ids(order).size() == 3);
                assertThat(records.all()).hasSize(once + 3);
                await("the position is stored", () -> second.lag() == 0);
            }
            KafkaScene.forget(journal);
            try (KafkaScene third = new KafkaScene(journal, broker, topic)) {
                // The broker acknowledges a record after readers see it, so the counter comes last.
                await("all are sent again", () -> third.events("delivered") >= once + 3
                        && third.lag() == 0);
                assertThat(third.events("delivered")).isEqualTo(once + 3);
                await("all can be read", () -> records.all().size() >= 2 * (once + 3));
                assertThat(records.all()).hasSize(2 * (once + 3));
            }
            Set<String> ids = new HashSet<>();
            records.all().forEach(event -> ids.add(event.id()));
            assertThat(ids).hasSize(once + 3);
            assertThat(records.all().stream().collect(Collectors.groupingBy(Event::id,
                    Collectors.mapping(Event::value, Collectors.toSet()))))
                    .allSatisfy((id, values) -> assertThat(values).hasSize(1));
        }
    }

    @Test
    @DisplayName("E1: an event that is too large for the brokers is sent without its data, before"
            + " the next event of its subject")
    void tooLargeEventKeepsItsPlace() {
        String sale = journal.id("sale");
        change(sale, "sale.prepared", "x".repeat(3 << 20));
        change(sale, "sale.paused", "x".repeat(5 << 20));
        change(sale, "sale.resumed", "x");
        try (KafkaScene scene = new KafkaScene(journal, broker, topic);
                KafkaRecords records = new KafkaRecords(broker, topic)) {
            await("all have arrived", () -> records.ids(sale).size() == 3);
            assertThat(records.all()).filteredOn(event -> event.key().equals(sale))
                    .extracting(Event::type).containsExactly("dev.rush.sale.prepared",
                            "dev.rush.sale.paused", "dev.rush.sale.resumed");
            assertThat(records.all()).filteredOn(event -> event.key().equals(sale))
                    .extracting(event -> event.value().contains("\"data\":"))
                    .containsExactly(false, false, true);
            assertThat(scene.events("shortened")).isEqualTo(2);
        }
        journal.sql("DELETE FROM audit WHERE subject = '" + sale + "'");
    }

    @Test
    @DisplayName("E1: the lag grows while the journal cannot be read")
    void lagGrowsWhileTheJournalIsUnreadable() {
        try (KafkaScene scene = new KafkaScene(journal, broker, topic)) {
            await("the dispatcher leads", () -> scene.lag() == 0);
            journal.sql("ALTER TABLE audit RENAME TO audit_away");
            try {
                await("the lag grows", () -> scene.lag() > 1);
            } finally {
                journal.sql("ALTER TABLE audit_away RENAME TO audit");
            }
            await("the lag is gone", () -> scene.lag() == 0);
        }
    }

    private void change(String sale, String action, String after) {
        journal.transact((connection, ledgerState) -> {
            AuditRows.insert(connection, ledgerState, UUID.randomUUID(), OrderLives.OPERATOR,
                    action,
                    sale, null, Map.of("title", after), null);
            return null;
        });
    }
}
