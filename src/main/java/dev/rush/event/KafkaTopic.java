package dev.rush.event;

import dev.rush.RushConfig;
import dev.rush.http.Json;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The topic of events. No producer is created until something is sent, so that a service without
 * events has no cost. An event is a structured CloudEvent as in the CloudEvents binding for Kafka,
 * with its attributes as headers too; its key is its subject.
 */
@Singleton
class KafkaTopic {

    private static final Logger LOG = Logger.getLogger(KafkaTopic.class);
    private static final String CONTENT_TYPE = "application/cloudevents+json; charset=UTF-8";

    private final KafkaProducers producers;
    private final Json json;
    private final String topic;
    private final long timeoutNanos;
    private final Counter delivered;
    private final Counter failed;
    private final Counter shortened;
    private final Counter deadLetters;
    private @Nullable Producer<String, byte[]> producer;
    private boolean isClosed;
    private volatile boolean isAway;

    @Inject
    KafkaTopic(KafkaProducers producers, Json json, RushConfig config, MeterRegistry registry) {
        this.producers = producers;
        this.json = json;
        this.topic = config.events().kafka().topic();
        this.timeoutNanos = config.events().kafka().timeout().toNanos();
        this.delivered = counter(registry, "delivered");
        this.failed = counter(registry, "failed");
        this.shortened = counter(registry, "shortened");
        this.deadLetters = counter(registry, "dead-letter");
    }

    private static Counter counter(MeterRegistry registry, String result) {
        return Counter.builder("rush.kafka.events").tag("result", result)
                .description("Events sent to Kafka by how that ended").register(registry);
    }

    void stop(@Observes ShutdownEvent event) {
        synchronized (this) {
            isClosed = true;
        }
        release();
    }

    /** Disconnects from the brokers until something is sent again; pending messages are dropped. */
    void release() {
        Producer<String, byte[]> open;
        synchronized (this) {
            open = producer;
        }
        release(open);
    }

    /** As above, unless the producer has been replaced meanwhile. */
    private void release(@Nullable Producer<String, byte[]> failed) {
        synchronized (this) {
            if (failed == null || failed != producer) {
                return;
            }
            producer = null;
        }
        failed.close(Duration.ZERO);
    }

    private synchronized Producer<String, byte[]> producer() {
        if (isClosed) {
            throw new KafkaException("the service ends");
        }
        if (producer == null) {
            producer = producers.open();
        }
        return producer;
    }

    /**
     * Sends events concurrently: two of one subject may change order if the first one fails. Waits
     * for the brokers, at most twice their timeout.
     *
     * @return ids of the events that all in-sync replicas have; for others that is unknown
     */
    Set<String> send(Collection<CloudEvent> events) {
        Set<String> acknowledged = new HashSet<>();
        Producer<String, byte[]> open = null;
        try {
            open = producer();
            Wave wave = new Wave(open, System.nanoTime() + 2 * timeoutNanos);
            wave.send(events);
            wave.await(acknowledged);
        } catch (KafkaException | IllegalStateException e) {
            // The latter if it was closed meanwhile.
            note(open, e);
        }
        delivered.increment(acknowledged.size());
        failed.increment(events.size() - acknowledged.size());
        if (isAway && acknowledged.size() == events.size()) {
            isAway = false;
            LOG.infof("The topic %s takes events again", topic);
        }
        return acknowledged;
    }

    /** Events that are sent together. */
    private final class Wave {

        private final Producer<String, byte[]> open;
        private final long deadlineNanos;
        private final Map<CloudEvent, Future<RecordMetadata>> sent = new LinkedHashMap<>();

        private Wave(Producer<String, byte[]> open, long deadlineNanos) {
            this.open = open;
            this.deadlineNanos = deadlineNanos;
        }

        private void send(Collection<CloudEvent> events) {
            for (CloudEvent event : events) {
                Future<RecordMetadata> result = open.send(message(event));
                sent.put(event, result);
                // If the brokers are down or deny the topic, each one would have to wait for them.
                // Only a record that is too large fails by itself.
                Throwable failure = result.isDone() ? failure(result) : null;
                if (failure != null && !(failure instanceof RecordTooLargeException)) {
                    return;
                }
            }
        }

        private void await(Set<String> acknowledged) {
            sent.forEach((event, result) -> {
                if (isAcknowledged(event, failure(result))) {
                    acknowledged.add(event.id());
                    deadLetters.increment(event.type().equals(EventTypes.DEAD_LETTER) ? 1 : 0);
                }
            });
        }

        private boolean isAcknowledged(CloudEvent event, @Nullable Throwable failure) {
            Throwable rest = failure;
            if (rest instanceof RecordTooLargeException) {
                // Otherwise it would block all later events forever.
                LOG.errorf("The event %s is sent without its data: %s", event.id(),
                        rest.getMessage());
                rest = failure(open.send(message(event.withoutData())));
                shortened.increment(rest == null ? 1 : 0);
            }
            if (rest != null) {
                note(open, rest);
            }
            return rest == null;
        }

        /** Why a message was not delivered; null if it was. */
        private @Nullable Throwable failure(Future<RecordMetadata> result) {
            try {
                result.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
                return null;
            } catch (ExecutionException e) {
                return e.getCause();
            } catch (TimeoutException e) {
                return e;
            } catch (InterruptedException e) {
                throw new InterruptException(e);
            }
        }
    }

    /** Logs an outage once. After any other failure the producer may be unusable. */
    private void note(@Nullable Producer<String, byte[]> open, Throwable failure) {
        if (failure instanceof InterruptException) {
            LOG.debug("Sending was interrupted");
        } else if (!isAway) {
            isAway = true;
            LOG.warnf("The topic %s takes no events: %s", topic, reason(failure));
        } else {
            LOG.debugf("The topic %s takes no events: %s", topic, reason(failure));
        }
        if (!(failure instanceof RetriableException)) {
            release(open);
        }
    }

    private static String reason(Throwable failure) {
        Throwable cause = failure.getCause();
        return cause == null ? failure.toString() : failure + ": " + cause.getMessage();
    }

    private ProducerRecord<String, byte[]> message(CloudEvent event) {
        ProducerRecord<String, byte[]> message =
                new ProducerRecord<>(topic, event.subject(), json.write(event));
        header(message, "content-type", CONTENT_TYPE);
        header(message, "ce_specversion", event.specversion());
        header(message, "ce_id", event.id());
        header(message, "ce_source", event.source());
        header(message, "ce_type", event.type());
        header(message, "ce_time", event.time());
        header(message, "ce_subject", event.subject());
        return message;
    }

    private static void header(ProducerRecord<String, byte[]> message, String name, String value) {
        message.headers().add(name, value.getBytes(StandardCharsets.UTF_8));
    }
}
