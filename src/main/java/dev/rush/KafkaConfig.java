package dev.rush;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/**
 * Events to a message queue that speaks Kafka's protocol, under {@code rush.orders.sink=both} or
 * {@code kafka}. Its brokers and credentials are {@code kafka.*}: each setting of Kafka's producer
 * with that prefix.
 */
public interface KafkaConfig {

    /** The topic of all events. It must exist, unless the brokers create topics automatically. */
    @WithDefault("rush.events")
    String topic();

    /** Events that are read and sent per page, 1 to 5000. */
    @WithDefault("500")
    int batch();

    /**
     * How long to wait for brokers before events count as not delivered and are sent again, 1 s to
     * 2 min.
     */
    @WithDefault("PT10S")
    Duration timeout();
}
