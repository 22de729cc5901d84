package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.RushConfig;
import dev.rush.http.Json;
import dev.rush.ledger.TestJournal;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Sending to a Kafka client that refuses records, and the settings of the client. */
class KafkaTopicTest {
    private final RushConfig config = TestJournal.config(Map.of("rush.orders.sink", "kafka"));
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    /** Fails every record that has data with one failure; takes every record if that is null. */
    private static final class Refusing extends MockProducer<String, byte[]> {
        private final List<String> sent = new ArrayList<>();
        private final RuntimeException failure;

        private Refusing(RuntimeException failure) {
            super(true, null, new StringSerializer(), new ByteArraySerializer());
            this.failure = failure;
        }

        @Override
        public synchronized Future<RecordMetadata> send(ProducerRecord<String, byte[]> message) {
            sent.add(message.key());
            boolean isShort = !new String(message.value()).contains("\"data\":");
            return failure == null || isShort ? super.send(message)
                    : CompletableFuture.failedFuture(failure);
        }
    }

    private KafkaTopic topic(Producer<String, byte[]> producer) {
        return new KafkaTopic(new KafkaProducers(Map::of, config) {
            @Override
            Producer<String, byte[]> open() {
                return producer;
            }
        }, new Json(), config, registry);
    }

    private static List<CloudEvent> events(int count) {
        return IntStream.range(0, count).mapToObj(i -> CloudEvent.ofOrder("s", "o" + i, "accepted",
                "1970-01-01T00:00:01Z", Map.of())).toList();
    }

    private double counted(String result) {
        return registry.get("rush.kafka.events").tag("result", result).counter().count();
    }

    @Test
    @DisplayName("O5: if the brokers deny the topic, only one event is tried")
    void deniedTopicIsTriedOnce() {
        Refusing producer = new Refusing(new TopicAuthorizationException("denied"));
        assertThat(topic(producer).send(events(50))).isEmpty();
        assertThat(producer.sent).containsExactly("o0");
        assertThat(counted("failed")).isEqualTo(50);
        assertThat(producer.closed()).isTrue();
    }

    @Test
    @DisplayName("O5: an event that is too large delays no later event, and counts as shortened"
            + " once it is delivered")
    void tooLargeEventsDelayNothing() {
        Refusing producer = new Refusing(new RecordTooLargeException("too large"));
        assertThat(topic(producer).send(events(3))).containsExactlyInAnyOrder("o0.accepted",
                "o1.accepted", "o2.accepted");
        assertThat(counted("shortened")).isEqualTo(3);
        assertThat(counted("delivered")).isEqualTo(3);
    }

    @Test
    @DisplayName("O5: settings cannot weaken order and acknowledgement")
    void settingsCannotBreakPromises() {
        Map<String, Object> chosen = Map.of("bootstrap.servers", "127.0.0.1:1", "acks", "0",
                "enable.idempotence", "false", "retries", "0", "partitioner.ignore.keys", "true",
                "linger.ms", "5", "key.serializer", StringSerializer.class.getName(),
                "value.serializer", ByteArraySerializer.class.getName());
        ProducerConfig made =
                new ProducerConfig(new KafkaProducers(() -> chosen, config).settings());
        assertThat(made.getString(ProducerConfig.ACKS_CONFIG)).isEqualTo("-1");
        assertThat(made.getBoolean(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG)).isTrue();
        assertThat(made.getInt(ProducerConfig.RETRIES_CONFIG)).isEqualTo(Integer.MAX_VALUE);
        assertThat(made.getBoolean(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG)).isFalse();
        assertThat(made.getLong(ProducerConfig.LINGER_MS_CONFIG)).isEqualTo(5);
    }
}
