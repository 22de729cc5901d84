package dev.rush.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;

/** All records of a topic, read from its beginning by Kafka's own client. */
public final class KafkaRecords implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);
    /** Consecutive empty polls after which a broker counts as down. */
    private static final int IDLE_POLLS_MAX = 50;

    private final String topic;
    private final KafkaConsumer<String, String> consumer;
    private final List<Event> all = new ArrayList<>();

    /**
     * A record with the headers of CloudEvents.
     *
     * @param id   the header {@code ce_id}
     * @param type the header {@code ce_type}
     */
    public record Event(String key, String id, String type, String contentType, String value) {
    }

    public KafkaRecords(KafkaBroker broker, String topic) {
        this(broker.servers(), topic);
    }

    /** Records of a topic of brokers at these addresses. */
    public KafkaRecords(String servers, String topic) {
        this.topic = topic;
        this.consumer = new KafkaConsumer<>(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, servers,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest",
                ConsumerConfig.METADATA_MAX_AGE_CONFIG, 500,
                ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 3_000,
                ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, 2_000),
                new StringDeserializer(), new StringDeserializer());
    }

    /** All records so far, in order for each key. */
    public synchronized List<Event> all() {
        try {
            if (consumer.assignment().isEmpty()) {
                List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                        .map(part -> new TopicPartition(topic, part.partition())).toList();
                consumer.assign(partitions);
                consumer.seekToBeginning(partitions);
            }
            Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
            for (int idle = 0; idle < IDLE_POLLS_MAX && isBehind(ends); idle++) {
                for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
                    all.add(event(record));
                    idle = 0;
                }
            }
        } catch (TimeoutException e) {
            // The broker is down; the records read before stay.
        }
        return List.copyOf(all);
    }

    private boolean isBehind(Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream().anyMatch(end ->
                consumer.position(end.getKey()) < end.getValue());
    }

    /** The distinct ids of a key's events, in the order of their first record. */
    public List<String> ids(String key) {
        return all().stream().filter(event -> event.key().equals(key)).map(Event::id).distinct()
                .toList();
    }

    private static Event event(ConsumerRecord<String, String> record) {
        return new Event(record.key(), header(record, "ce_id"), header(record, "ce_type"),
                header(record, "content-type"), record.value());
    }

    private static String header(ConsumerRecord<String, String> record, String name) {
        Header header = record.headers().lastHeader(name);
        return header == null ? null : new String(header.value());
    }

    @Override
    public void close() {
        consumer.close();
    }
}
