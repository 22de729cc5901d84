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
 * The Kafka topic of events. The producer is created with the first event, so a pod that sends none
 * has no cost. A message is a structured CloudEvent of the CloudEvents Kafka binding, with its
 * attributes as headers too; its key is the event's subject.
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
    private volatile boolean isFailing;

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
                .description("Events sent to Kafka, by result").register(registry);
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

    /** Closes a producer, unless it has been replaced meanwhile. */
    private void release(@Nullable Producer<String, byte[]> open) {
        synchronized (this) {
            if (open == null || open != producer) {
                return;
            }
            producer = null;
        }
        open.close(Duration.ZERO);
    }

    private synchronized Producer<String, byte[]> producer() {
        if (isClosed) {
            throw new KafkaException("the service is stopping");
        }
        if (producer == null) {
            producer = producers.open();
        }
        return producer;
    }

    /**
     * Sends events concurrently, so two of one subject can be reordered if the first one fails.
     * Waits for the brokers at most twice {@code rush.events.kafka.timeout}.
     *
     * @return ids of the events that all in-sync replicas have; whether they have the others is
     *         unknown
     */
    Set<String> send(Collection<CloudEvent> events) {
        Set<String> acknowledged = new HashSet<>();
        Producer<String, byte[]> open = null;
        try {
            open = producer();
            Batch batch = new Batch(open, System.nanoTime() + 2 * timeoutNanos);
            batch.send(events);
            batch.await(acknowledged);
        } catch (KafkaException | IllegalStateException e) {
            // IllegalStateException: the producer was closed meanwhile.
            failed(open, e);
        }
        delivered.increment(acknowledged.size());
        failed.increment(events.size() - acknowledged.size());
        if (isFailing && acknowledged.size() == events.size()) {
            isFailing = false;
            LOG.infof("The topic %s accepts events again", topic);
        }
        return acknowledged;
    }

    /** Events that are sent together, with one deadline. */
    private final class Batch {

        private final Producer<String, byte[]> open;
        private final long deadlineNanos;
        private final Map<CloudEvent, Future<RecordMetadata>> sent = new LinkedHashMap<>();

        private Batch(Producer<String, byte[]> open, long deadlineNanos) {
            this.open = open;
            this.deadlineNanos = deadlineNanos;
        }

        private void send(Collection<CloudEvent> events) {
            for (CloudEvent event : events) {
                Future<RecordMetadata> result = open.send(message(event));
                sent.put(event, result);
                // If the brokers are down or deny the topic, every further event would wait too.
                // Only a record that is too large fails on its own.
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
            Throwable last = failure;
            if (last instanceof RecordTooLargeException) {
                // Otherwise it would block all later events forever.
                LOG.errorf("The event %s is sent without its data: %s", event.id(),
                        last.getMessage());
                last = failure(open.send(message(event.withoutData())));
                shortened.increment(last == null ? 1 : 0);
            }
            if (last != null) {
                failed(open, last);
            }
            return last == null;
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

    /** Logs an outage once. Drops the producer, unless the failure is one that Kafka retries. */
    private void failed(@Nullable Producer<String, byte[]> open, Throwable failure) {
        if (failure instanceof InterruptException) {
            LOG.debug("Sending was interrupted");
        } else if (!isFailing) {
            isFailing = true;
            LOG.warnf("The topic %s accepts no events: %s", topic, reason(failure));
        } else {
            LOG.debugf("The topic %s accepts no events: %s", topic, reason(failure));
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
