package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.RushConfig;
import dev.rush.dev.EmbeddedRedis;
import dev.rush.http.Json;
import dev.rush.ledger.TestJournal;
import dev.rush.ledger.writer.OrderStream;
import dev.rush.redis.Layout;
import dev.rush.redis.Partition;
import dev.rush.redis.cluster.Gate;
import dev.rush.testing.Await;
import dev.rush.testing.KafkaBroker;
import dev.rush.testing.KafkaRecords;
import dev.rush.testing.KafkaRecords.Event;
import dev.rush.testing.Resp;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.redis.client.RedisClientType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Forwards a real stream to a real Kafka. */
class PartitionForwarderTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Partition PARTITION = Gate.PARTITIONS.all().get(0);
    private static final String STREAM = PARTITION.key("orders");
    private static final String LEASE = PARTITION.key("lease");
    private static final String ME = "this pod";
    private static EmbeddedRedis redis;
    private static KafkaBroker broker;
    private static Gate gate;
    private static Resp resp;
    private static int topics;

    private final String name = "forwarded-" + ++topics;
    private final AtomicReference<Error> error = new AtomicReference<>();
    private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(2);
    private final ExecutorService workers = Executors.newFixedThreadPool(1);
    private final RushConfig config = TestJournal.config(Map.of("rush.orders.sink", "kafka",
            "rush.events.kafka.topic", name, "rush.events.kafka.timeout", "PT20S"));
    private final KafkaTopic topic = new KafkaTopic(new KafkaProducers(
            () -> Map.of("bootstrap.servers", broker.servers()), config), new Json(), config,
            new SimpleMeterRegistry());
    private final PartitionForwarder forwarder = new PartitionForwarder(
            new PartitionForwarder.Tools(gate.commands,
                    new OrderStream(gate.commands, gate.router), topic, scheduler, workers, ME,
                    100), new Owner(), PARTITION, 7);

    private final class Owner implements PartitionForwarder.Owner {

        @Override
        public long pauseMaxMs() {
            return 50;
        }

        @Override
        public void found(Partition partition) {
            Error thrown = error.getAndSet(null);
            if (thrown != null) {
                throw thrown;
            }
        }
    }

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        broker = KafkaBroker.start();
        resp = Resp.connect(redis.port());
        resp.command("SET", PARTITION.key(Layout.NAME), Integer.toString(Layout.newest()));
        gate = new Gate(RedisClientType.STANDALONE, List.of(redis.port()),
                Map.of("rush.deadline", "PT60S", "rush.redis.silence", "PT60S"), loss -> { });
    }

    @AfterAll
    static void stop() throws Exception {
        gate.close();
        resp.close();
        broker.close();
        redis.close();
    }

    @AfterEach
    void end() {
        forwarder.stop();
        scheduler.shutdownNow();
        workers.shutdownNow();
        topic.stop(null);
        resp.command("DEL", STREAM);
    }

    private void begin(String holder, long token) {
        lease(holder, token);
        begin();
    }

    private static void lease(String holder, long token) {
        resp.command("HSET", LEASE, "holder", holder, "token", Long.toString(token));
    }

    private void begin() {
        forwarder.renewed(System.nanoTime() + TimeUnit.MINUTES.toNanos(5));
        forwarder.start();
    }

    private static String order() {
        return UUID.randomUUID().toString();
    }

    private static void enter(String kind, String words) {
        resp.command("XADD", STREAM, "*", kind, words);
    }

    @Test
    @DisplayName("O5: orders and grabs of a stream arrive as their GET shows them, other entries as"
            + " dead letters; then the stream is empty")
    void forwards() {
        String one = order();
        String other = order();
        String grab = order();
        enter("purchase", "a-sale 1000 0 1 1 ann " + one + " k = a:2 9 bob " + other
                + "  = b:1,c:3 0,7");
        enter("grab", "a-rain 2000 4 3 3 eve " + grab + "  1 250");
        enter("purchase", "nonsense");
        begin(ME, 7);
        try (KafkaRecords records = new KafkaRecords(broker, name)) {
            Await.until("the stream is empty", SOON, () -> resp.number("XLEN", STREAM) == 0);
            Await.until("all can be read", SOON, () -> records.all().size() >= 4);
            List<Event> all = records.all();
            assertThat(all).extracting(Event::type).containsExactlyInAnyOrder(
                    "dev.rush.order.accepted", "dev.rush.order.accepted",
                    "dev.rush.grab.accepted", "dev.rush.dead-letter");
            assertThat(value(all, one)).contains("\"id\":\"" + one + ".accepted\"",
                    "\"source\":\"/v1/sales/a-sale\"", "\"user\":\"ann\"",
                    "\"status\":\"accepted\"", "\"quantity\":2",
                    "\"time\":\"1970-01-01T00:00:01Z\"");
            assertThat(value(all, other)).contains("\"user\":\"bob\"", "\"sku\":\"c\"");
            assertThat(value(all, grab)).contains("\"source\":\"/v1/rains/a-rain\"",
                    "\"user\":\"eve\"", "\"amount\":250", "\"number\":4");
            assertThat(all).filteredOn(event -> event.type().equals("dev.rush.dead-letter"))
                    .singleElement().satisfies(event -> assertThat(event.value())
                            .contains("nonsense", "reason"));
        }
    }

    @Test
    @DisplayName("O5: an Error, such as an OutOfMemoryError, does not stop forwarding")
    void errorEndsNothing() {
        error.set(new OutOfMemoryError("thrown by the test"));
        enter("purchase", "a-sale 1000 0 1 1 ann " + order() + " k = a:2 9");
        begin(ME, 7);
        Await.until("the stream is empty", SOON, () -> resp.number("XLEN", STREAM) == 0);
        assertThat(error).as("thrown").hasNullValue();
    }

    @Test
    @DisplayName("O5: an almost valid entry delays none behind it")
    void almostValidEntryDelaysNothing() {
        String timeless = order();
        String order = order();
        enter("purchase", "a-sale 1000 0 1 1 ann " + order() + " k = a:2 " + "9".repeat(40));
        enter("purchase", "a-sale 0 0 1 1 ann " + timeless + " k = a:2 9");
        enter("grab", "a-rain 0 4 3 3 eve " + order() + "  1 250");
        enter("purchase", "a-sale 1000 0 1 1 ann " + order + " k = a:2 9");
        begin(ME, 7);
        try (KafkaRecords records = new KafkaRecords(broker, name)) {
            Await.until("the stream is empty", SOON, () -> resp.number("XLEN", STREAM) == 0);
            Await.until("all can be read", SOON, () -> records.all().size() >= 4);
            assertThat(records.all()).extracting(Event::type).containsExactlyInAnyOrder(
                    "dev.rush.dead-letter", "dev.rush.order.accepted", "dev.rush.grab.accepted",
                    "dev.rush.order.accepted");
            assertThat(value(records.all(), timeless))
                    .contains("\"time\":\"1970-01-01T00:00:00Z\"");
            assertThat(records.ids(order)).containsExactly(order + ".accepted");
        }
    }

    @Test
    @DisplayName("O5: a task ends after its entries are removed, so that a stopping pod releases"
            + " the lease only then")
    void taskEndsAfterTheRemoval() throws Exception {
        enter("purchase", "a-sale 1000 0 1 1 ann " + order() + " k = a:2 9");
        lease(ME, 7);
        resp.command("CLIENT", "PAUSE", "60000", "WRITE");
        begin();
        try (KafkaRecords records = new KafkaRecords(broker, name)) {
            Await.until("Kafka has the event", SOON, () -> !records.all().isEmpty());
        }
        ScheduledFuture<?> resumed = scheduler.schedule(
                () -> resp.command("CLIENT", "UNPAUSE"), 1, TimeUnit.SECONDS);
        forwarder.stop();
        workers.shutdown();
        assertThat(workers.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        // The connection is not for two threads at once.
        resumed.get();
        assertThat(resp.number("XLEN", STREAM)).isZero();
    }

    private static String value(List<Event> all, String key) {
        return all.stream().filter(event -> event.key().equals(key)).findFirst().orElseThrow()
                .value();
    }

    @Test
    @DisplayName("O5: a forwarder that lost its lease unnoticed removes nothing, and stops")
    void lateForwarderRemovesNothing() {
        String order = order();
        enter("purchase", "a-sale 1000 0 1 1 ann " + order + " k = a:2 9");
        begin("another pod", 8);
        try (KafkaRecords records = new KafkaRecords(broker, name)) {
            Await.until("the forwarder stops", SOON, forwarder::isStopped);
            Await.until("Kafka has the event", SOON, () ->
                    records.ids(order).equals(List.of(order + ".accepted")));
            assertThat(resp.number("XLEN", STREAM)).isEqualTo(1);
        }
    }
}
