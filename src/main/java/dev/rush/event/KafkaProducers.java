package dev.rush.event;

import dev.rush.KafkaConfig;
import dev.rush.RushConfig;
import io.smallrye.common.annotation.Identifier;
import jakarta.inject.Inject;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Creates Kafka producers: all in-sync replicas acknowledge, retries inside the producer add no
 * duplicates, and every wait is bounded.
 */
@Singleton
class KafkaProducers {

    /** Far above the largest event: a sale of 100 items with long titles has about 100 kB. */
    private static final int REQUEST_BYTES = 4 << 20;
    private static final int BUFFER_BYTES = 16 << 20;
    private static final int BATCH_BYTES = 64 << 10;

    private final Provider<Map<String, Object>> settings;
    private final KafkaConfig config;

    /**
     * Creates a factory of producers.
     *
     * @param settings the settings {@code kafka.*}
     */
    @Inject
    KafkaProducers(@Identifier("default-kafka-broker") Provider<Map<String, Object>> settings,
            RushConfig config) {
        this.settings = settings;
        this.config = config.events().kafka();
    }

    /** A producer that has not connected yet. Fails if the configuration is invalid. */
    Producer<String, byte[]> open() {
        return new KafkaProducer<>(settings(), new StringSerializer(), new ByteArraySerializer());
    }

    /** The settings of a producer. */
    Map<String, Object> settings() {
        int timeoutMs = (int) config.timeout().toMillis();
        Map<String, Object> all = new HashMap<>();
        all.put(ProducerConfig.CLIENT_ID_CONFIG, "rush");
        all.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, REQUEST_BYTES);
        all.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
        all.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        all.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        all.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 1_000);
        all.put(ProducerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, timeoutMs / 2);
        all.putAll(settings.get());
        all.remove("group.id");
        // The guarantees of this service depend on these, so they cannot be configured.
        all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        all.put(ProducerConfig.ACKS_CONFIG, "all");
        all.put(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG, false);
        all.put(ProducerConfig.RETRIES_CONFIG, Integer.MAX_VALUE);
        all.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 5);
        all.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, timeoutMs / 2);
        all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, timeoutMs / 2);
        all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, timeoutMs);
        return all;
    }
}
