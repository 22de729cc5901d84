package dev.rush.event;

import dev.rush.RushConfig;
import dev.rush.http.Json;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.TestJournal;
import dev.rush.testing.Await;
import dev.rush.testing.KafkaBroker;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** A dispatcher that feeds a topic of its own from a journal, without the rest of a pod. */
final class KafkaScene implements AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(60);

    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final TestJournal test;
    private final KafkaTopic topic;
    private final KafkaDispatcher dispatcher;

    KafkaScene(TestJournal test, String servers, String name, String... settings) {
        this(test, servers, name, () -> { }, settings);
    }

    /** A dispatcher without a broker, and what runs before each renewal of its lease. */
    KafkaScene(TestJournal test, Runnable beforeRenewal) {
        this(test, "127.0.0.1:1", "events", beforeRenewal);
    }

    private KafkaScene(TestJournal test, String servers, String name, Runnable beforeRenewal,
            String... settings) {
        this.test = test;
        Map<String, String> all = new HashMap<>(Map.of("rush.orders.sink", "both",
                "rush.events.kafka.topic", name, "rush.events.kafka.timeout", "PT4S"));
        for (int i = 0; i < settings.length; i += 2) {
            all.put(settings[i], settings[i + 1]);
        }
        RushConfig config = TestJournal.config(all);
        KafkaProducers producers = new KafkaProducers(
                () -> Map.of("bootstrap.servers", servers, "group.id", "rush"), config);
        topic = new KafkaTopic(producers, new Json(), config, registry);
        dispatcher = new KafkaDispatcher(test.ledger,
                new LeaderLease(test.ledger, () -> {
                    beforeRenewal.run();
                    return false;
                }, Set::of), topic, config, registry);
        dispatcher.start(null);
    }

    KafkaScene(TestJournal test, KafkaBroker broker, String name) {
        this(test, broker.servers(), name);
    }

    double lag() {
        return registry.get("rush.kafka.lag").gauge().value();
    }

    double events(String result) {
        return registry.get("rush.kafka.events").tag("result", result).counter().count();
    }

    /** Deletes the position, as if the pod had died before it stored one. */
    static void forget(TestJournal test) {
        test.sql("DELETE FROM sinks");
    }

    static void await(String what, BooleanSupplier holds) {
        Await.until(what, SOON, holds);
    }

    @Override
    public void close() {
        dispatcher.stop(null);
        topic.stop(null);
        test.sql("DELETE FROM credits");
    }
}
