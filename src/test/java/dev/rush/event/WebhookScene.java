package dev.rush.event;

import dev.rush.RushConfig;
import dev.rush.http.Json;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.TestJournal;
import dev.rush.testing.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** A dispatcher of webhooks on a journal, without the rest of a pod. */
final class WebhookScene extends OrderLives implements AutoCloseable {
    static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Vertx VERTX = Vertx.vertx();

    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    final Webhooks webhooks;
    /** Whether rounds throw at once, instead of failing later. */
    volatile boolean broken;
    final AtomicInteger thrown = new AtomicInteger();
    volatile Runnable beforeRenewal = () -> { };
    private final WebhookDispatcher dispatcher;
    private final Receivers receivers;

    WebhookScene(TestJournal test, String... settings) {
        super(test);
        Map<String, String> all = new HashMap<>(Map.of("rush.webhooks.allow-http", "true",
                "rush.webhooks.allowed-networks", "127.0.0.0/8", "rush.webhooks.retry", "PT0.05S",
                "rush.webhooks.timeout", "PT10S"));
        for (int i = 0; i < settings.length; i += 2) {
            all.put(settings[i], settings[i + 1]);
        }
        all.values().removeIf(String::isEmpty);
        RushConfig config = TestJournal.config(all);
        receivers = new Receivers(config);
        webhooks = new Webhooks(test.ledger, config);
        WebhookRound round = new WebhookRound(test.ledger, receivers,
                new WebhookSender(VERTX, config), new Json(), config, registry) {

            @Override
            CompletableFuture<State> run(String id, int max, BooleanSupplier leads) {
                if (broken) {
                    thrown.incrementAndGet();
                    throw new IllegalStateException("broken");
                }
                return super.run(id, max, leads);
            }
        };
        dispatcher = new WebhookDispatcher(test.ledger,
                new LeaderLease(test.ledger, () -> {
                    beforeRenewal.run();
                    return false;
                }, Set::of), round, config, registry);
        test.sql("DELETE FROM webhooks");
        dispatcher.start(null);
    }

    /** Registers a webhook for all events. */
    String webhook(String url) {
        String id = test.id("webhook");
        put(id, url, SECRET);
        return id;
    }

    void put(String id, String url, String secret) {
        webhooks.put(id, new WebhookRequest(url, List.of("dev.rush.*"), secret), OPERATOR).join();
    }

    List<WebhookAnswers.Delivered> deliveries(String webhook, String... states) {
        return webhooks.deliveries(webhook, List.of(states), 1_000).join();
    }

    static void await(String what, BooleanSupplier holds) {
        Await.until(what, SOON, holds);
    }

    void stop() {
        dispatcher.stop(null);
    }

    @Override
    public void close() {
        stop();
        receivers.stop();
        test.sql("DELETE FROM credits");
        test.sql("DELETE FROM leader_leases");
    }
}
