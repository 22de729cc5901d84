package dev.rush.event;

import static dev.rush.event.WebhookScene.await;
import static dev.rush.event.WebhookScene.life;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.event.WebhookAnswers.Delivered;
import dev.rush.ledger.TestJournal;
import dev.rush.testing.Environments;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Webhooks on a real PostgreSQL, with receivers that fail, hang and redirect. */
class WebhookDispatcherTest {
    private static TestJournal journal;

    @BeforeAll
    static void start() {
        journal = new TestJournal(Environments.ledger().freshDatabase());
    }

    @AfterAll
    static void stop() throws Exception {
        journal.close();
    }

    @Test
    @DisplayName("E1: each event is delivered, in order per subject, with the headers of the"
            + " specification; with two secrets, both sign")
    void deliversSigned() {
        try (WebhookScene scene = new WebhookScene(journal); Receiver receiver = new Receiver()) {
            scene.reserve();
            String id = scene.webhook(receiver.url());
            List<String> orders = scene.live(10);
            await("all have arrived", () -> receiver.accepted().size() == 30);
            orders.forEach(order ->
                    assertThat(receiver.accepted(order)).isEqualTo(life(order)));
            Receiver.Received first = receiver.all().get(0);
            assertThat(first.contentType()).startsWith("application/cloudevents+json");
            assertThat(first.id()).isEqualTo(first.event().replace('.', '_'));
            assertThat(Long.parseLong(first.timestamp()))
                    .isCloseTo(System.currentTimeMillis() / 1000, Offset.offset(600L));
            assertThat(first.signature()).isEqualTo(Signatures.of(List.of(WebhookScene.SECRET),
                    first.id(), Long.parseLong(first.timestamp()), first.body()));
            String second = WebhookScene.SECRET.replace("MfK", "AAA");
            scene.put(id, receiver.url(), second);
            String order = scene.reserve();
            await("the next one has arrived", () -> receiver.accepted(order).size() == 1);
            Receiver.Received last = receiver.all().get(receiver.all().size() - 1);
            assertThat(last.signature()).isEqualTo(Signatures.of(
                    List.of(second, WebhookScene.SECRET), last.id(),
                    Long.parseLong(last.timestamp()), last.body()));
        }
    }

    @Test
    @DisplayName("E1: a round that throws at once does not end the rounds of its webhook")
    void roundsContinueAfterAnException() {
        try (WebhookScene scene = new WebhookScene(journal); Receiver receiver = new Receiver()) {
            scene.broken = true;
            scene.webhook(receiver.url());
            await("a round has thrown", () -> scene.thrown.get() > 0);
            scene.broken = false;
            String order = scene.reserve();
            await("it is delivered", () -> receiver.accepted(order).size() == 1);
        }
    }

    @Test
    @DisplayName("E1: a delivery that fails holds back its own subject, and nothing else")
    void failureHoldsBackItsSubject() {
        try (WebhookScene scene = new WebhookScene(journal); Receiver receiver = new Receiver()) {
            String id = scene.webhook(receiver.url());
            Set<String> bad = ConcurrentHashMap.newKeySet();
            receiver.behave((request, body) -> request.response().setStatusCode(
                    bad.stream().anyMatch(body::contains) ? 500 : 200).end("so"));
            String held = scene.reserve();
            await("it has arrived", () -> receiver.accepted(held).size() == 1);
            bad.add(held);
            scene.confirm(held);
            scene.giveBack(held);
            List<String> others = scene.live(5);
            await("all others have arrived", () -> receiver.accepted().size() == 16);
            assertThat(receiver.accepted(held)).containsExactly(held + ".reserved");
            await("the failed delivery waits, and the one behind it", () ->
                    scene.deliveries(id, "waiting").size() == 2);
            assertThat(scene.deliveries(id, "waiting")).extracting(Delivered::event)
                    .containsExactly(held + ".returned", held + ".confirmed");
            bad.clear();
            await("deliveries continue", () -> receiver.accepted(held).size() == 3);
            assertThat(receiver.accepted(held)).isEqualTo(life(held));
            others.forEach(order ->
                    assertThat(receiver.accepted(order)).isEqualTo(life(order)));
            await("nothing waits", () -> scene.deliveries(id, "waiting").isEmpty());
        }
    }

    @Test
    @DisplayName("E1: a hanging receiver delays no other, and gets all events when it is back")
    void slowReceiverDelaysNoOther() {
        try (WebhookScene scene = new WebhookScene(journal, "rush.webhooks.timeout", "PT3S");
                Receiver slow = new Receiver(); Receiver quick = new Receiver()) {
            slow.behave((request, body) -> { });
            String id = scene.webhook(slow.url());
            scene.webhook(quick.url());
            List<String> orders = scene.live(20);
            await("the quick receiver has all", () -> quick.accepted().size() == 60);
            assertThat(slow.accepted()).isEmpty();
            await("the timeout is recorded", () -> scene.deliveries(id, "waiting").stream()
                    .anyMatch(delivery -> delivery.tries() > 0
                            && delivery.answer().startsWith("no answer within")));
            await("the lag is measured", () -> scene.registry.find("rush.webhook.lag")
                    .tag("webhook", id).gauges().stream().anyMatch(gauge -> gauge.value() > 0));
            slow.behave(Receiver.GOOD);
            await("the slow receiver has all", () -> slow.accepted().size() == 60);
            orders.forEach(order -> assertThat(slow.accepted(order)).isEqualTo(life(order)));
        }
    }

    @Test
    @DisplayName("E1: a webhook whose receiver hangs delays no other webhook of the same host")
    void hangingWebhookLeavesConnectionsToOthersOfItsHost() {
        // With one delivery at a time, the first that hangs takes all connections of its webhook.
        try (WebhookScene scene = new WebhookScene(journal, "rush.webhooks.timeout", "PT30S",
                "rush.webhooks.parallel", "1"); Receiver host = new Receiver()) {
            AtomicInteger hanging = new AtomicInteger();
            host.behave((request, body) -> {
                if (request.path().equals("/slow")) {
                    hanging.incrementAndGet();
                } else {
                    Receiver.GOOD.accept(request, body);
                }
            });
            String slow = scene.webhook(host.url().replace("/hook", "/slow"));
            scene.live();
            await("a delivery of one webhook hangs", () -> hanging.get() == 1);
            scene.webhook(host.url());
            scene.live(2);
            await("the other webhook has all", () -> host.accepted().size() == 6);
            assertThat(scene.deliveries(slow, "waiting")).as("none has timed out")
                    .isEmpty();
        }
    }

    @Test
    @DisplayName("E1: nor does it after the maximum of webhooks was lowered below those that exist")
    void hangingWebhookLeavesConnectionsToMoreThanTheMaximum() {
        try (WebhookScene scene = new WebhookScene(journal, "rush.webhooks.timeout", "PT30S",
                "rush.webhooks.parallel", "1", "rush.webhooks.max", "1");
                Receiver host = new Receiver()) {
            host.behave((request, body) -> {
                if (!request.path().equals("/slow")) {
                    Receiver.GOOD.accept(request, body);
                }
            });
            String slow = scene.webhook(host.url().replace("/hook", "/slow"));
            journal.sql("INSERT INTO webhooks SELECT (jsonb_populate_record(w, jsonb_build_object("
                    + "'webhook', w.webhook || '-2', 'url', '" + host.url() + "'))).*"
                    + " FROM webhooks w");
            scene.live();
            await("the other webhook has its events", () -> !host.accepted().isEmpty());
            scene.live(2);
            await("and all later ones", () -> host.accepted().size() == 9);
            assertThat(scene.deliveries(slow, "waiting")).as("none has timed out").isEmpty();
        }
    }

    @Test
    @DisplayName("E1: while a receiver is down, few rows wait; later events stay in the journal")
    void deadReceiverComesBack() {
        try (WebhookScene scene = new WebhookScene(journal, "rush.webhooks.waiting", "7");
                Receiver receiver = new Receiver()) {
            String id = scene.webhook(receiver.url());
            receiver.stop();
            List<String> orders = scene.live(20);
            await("some wait", () -> scene.deliveries(id, "waiting").size() == 7);
            orders.addAll(scene.live(5));
            await("one is retried", () -> scene.deliveries(id, "waiting").stream()
                    .anyMatch(delivery -> delivery.tries() > 2));
            assertThat(scene.deliveries(id, "waiting")).hasSize(7).allMatch(delivery ->
                    delivery.status() == null);
            receiver.open();
            await("all have arrived", () -> receiver.accepted().size() == 75);
            orders.forEach(order -> assertThat(receiver.accepted(order)).isEqualTo(life(order)));
        }
    }

    @Test
    @DisplayName("E1: redirects are not followed, and only the beginning of an answer is read")
    void answersAreNotTrusted() {
        try (WebhookScene scene = new WebhookScene(journal); Receiver receiver = new Receiver();
                Receiver other = new Receiver()) {
            String id = scene.webhook(receiver.url());
            receiver.behave((request, body) -> request.response().setStatusCode(307)
                    .putHeader("Location", other.url()).end());
            String order = scene.reserve();
            await("a redirect is no success", () -> scene.deliveries(id, "waiting").stream()
                    .anyMatch(delivery -> delivery.status() != null && delivery.status() == 307));
            assertThat(other.all()).isEmpty();
            AtomicInteger closed = new AtomicInteger();
            receiver.behave((request, body) -> {
                request.connection().closeHandler(gone -> closed.incrementAndGet());
                request.response().setStatusCode(500).setChunked(true);
                pour(request.response(), 0);
            });
            await("the long answer is cut off", () -> closed.get() > 0);
            await("its beginning is stored", () -> scene.deliveries(id, "waiting").stream()
                    .anyMatch(delivery -> delivery.answer().startsWith("xxx")
                            && delivery.status() == 500));
            assertThat(scene.deliveries(id, "waiting").get(0).answer()).hasSize(200);
            receiver.behave(Receiver.GOOD);
            await("it has arrived", () -> receiver.accepted(order).size() == 1);
        }
    }

    /** Sends up to ten megabytes, until the connection is closed. */
    private static void pour(HttpServerResponse response, int sent) {
        if (sent < 160 && !response.closed()) {
            response.write(Buffer.buffer("x".repeat(65_536))).onSuccess(done ->
                    pour(response, sent + 1));
        }
    }

    @Test
    @DisplayName("E1: nothing is sent to a private address, whatever name resolves to it")
    void privateAddressesAreRefused() {
        try (WebhookScene scene = new WebhookScene(journal, "rush.webhooks.allowed-networks", "");
                Receiver receiver = new Receiver()) {
            for (String host : List.of("127.0.0.1", "localhost", "2130706433", "0")) {
                String id = scene.webhook("http://" + host + ":" + receiver.port + "/");
                scene.reserve();
                await(host + " is refused", () -> scene.deliveries(id, "waiting").stream()
                        .anyMatch(delivery -> delivery.tries() > 1 && delivery.answer().equals(
                                "the host is in a network that is not allowed")));
            }
            assertThat(receiver.all()).isEmpty();
        }
    }

    @Test
    @DisplayName("E1: a delivery that is retried for too long fails, and can be redelivered")
    void givesUp() {
        try (WebhookScene scene = new WebhookScene(journal, "rush.webhooks.give-up", "PT1S");
                Receiver receiver = new Receiver()) {
            String id = scene.webhook(receiver.url());
            receiver.behave((request, body) -> request.response().setStatusCode(503).end());
            String order = scene.reserve();
            await("the delivery has failed", () -> scene.deliveries(id, "failed").size() == 1);
            receiver.behave(Receiver.GOOD);
            scene.confirm(order);
            await("the next one is delivered", () -> receiver.accepted(order).size() == 1);
            Delivered failed = scene.deliveries(id, "failed").get(0);
            scene.webhooks.redeliver(id, Long.parseLong(failed.delivery()),
                    WebhookScene.OPERATOR).join();
            await("it is redelivered", () -> receiver.accepted(order).size() == 2);
            await("nothing is left", () -> scene.deliveries(id, "failed", "waiting").isEmpty());
            assertThat(scene.registry.get("rush.webhook.deliveries").tag("result", "failed")
                    .counter().count()).isEqualTo(1);
        }
    }
}
