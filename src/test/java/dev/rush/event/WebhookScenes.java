package dev.rush.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.event.Delivery.Result;
import dev.rush.ledger.Position;
import dev.rush.ledger.TestJournal;
import dev.rush.testing.Scene;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The promises of the SQL of webhooks and their deliveries, each as a scene. */
final class WebhookScenes extends EventWalk {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final Result FAILED = new Result(500, "no");
    private static final long DAY_MS = 86_400_000;

    WebhookScenes(TestJournal test) {
        super(test);
    }

    /** All scenes by what they show. */
    Map<String, Scene> all() {
        Map<String, Scene> all = new LinkedHashMap<>();
        all.put("E1: a webhook is stored, changed and removed with its deliveries", this::stored);
        all.put("E1: after a rotation the old secret is valid for a day", this::rotated);
        all.put("E1: a stale reader cannot move a webhook's position", this::moved);
        all.put("E1: only the first delivery of a subject is due, at its time",
                this::due);
        all.put("E1: a delivery is retried until it is given up, and can be redelivered",
                this::givenUp);
        all.put("E1: only the newest failed deliveries are kept, up to a maximum", this::pruned);
        return all;
    }

    private String webhook() {
        String id = test.id("webhook");
        test.transact((connection, ledgerState) -> {
            WebhookRows.lock(connection);
            WebhookRows.insert(connection, id, "https://a.example/", List.of("dev.rush.*"),
                    SECRET, new Position(2, 5, 7));
            return null;
        });
        return id;
    }

    private Webhook find(String id) {
        return test.transact((connection, ledgerState) -> WebhookRows.find(connection, id));
    }

    private static Delivery delivery(String event, String subject, int tries, Result result) {
        return new Delivery(0, event, "dev.rush.order.confirmed", subject,
                Instant.parse("2026-01-01T00:00:00Z"), "{}", tries, result);
    }

    private void insert(String webhook, Delivery... deliveries) {
        test.transact((connection, ledgerState) -> {
            DeliveryRows.insert(connection, webhook, List.of(deliveries), tries -> DAY_MS);
            return null;
        });
    }

    private List<Delivery> dueOf(String webhook) {
        return test.transact((connection, ledgerState) ->
                DeliveryRows.due(connection, webhook, 10));
    }

    private List<String> due(String webhook) {
        return dueOf(webhook).stream().map(Delivery::event).toList();
    }

    private List<WebhookAnswers.Delivered> list(String webhook, String... states) {
        return test.transact((connection, ledgerState) ->
                DeliveryRows.list(connection, webhook, List.of(states), 3));
    }

    private boolean tried(Delivery delivery, long giveUpMs) {
        return test.transact((connection, ledgerState) -> DeliveryRows.tried(connection,
                delivery.tried(FAILED), tries -> DAY_MS, giveUpMs));
    }

    private void stored() {
        String id = webhook();
        String other = webhook();
        assertThat(find(id)).extracting(Webhook::url, Webhook::types, Webhook::secrets,
                Webhook::oldUntil, Webhook::position).containsExactly("https://a.example/",
                List.of("dev.rush.*"), List.of(SECRET), null, new Position(2, 5, 7));
        test.transact((connection, ledgerState) -> {
            WebhookRows.change(connection, id, "https://b.example/", List.of("dev.rush.sale.*"),
                    null);
            return null;
        });
        assertThat(find(id)).extracting(Webhook::url, Webhook::types, Webhook::secrets)
                .containsExactly("https://b.example/", List.of("dev.rush.sale.*"),
                        List.of(SECRET));
        assertThat(find(other).url()).isEqualTo("https://a.example/");
        insert(id, delivery("e", "s", 1, FAILED));
        assertThat(test.<List<Webhook>>transact((connection, ledgerState) ->
                WebhookRows.all(connection))).extracting(Webhook::id).contains(id, other)
                .isSorted();
        for (boolean exists : new boolean[] {true, false}) {
            assertThat(test.<Boolean>transact((connection, ledgerState) ->
                    WebhookRows.delete(connection, id))).isEqualTo(exists);
        }
        assertThat(find(id)).isNull();
        assertThat(find(other)).isNotNull();
        assertThat(list(id, "waiting")).isEmpty();
    }

    private void rotate(String id, String secret) {
        test.transact((connection, ledgerState) -> {
            WebhookRows.change(connection, id, "https://a.example/", List.of("dev.rush.*"),
                    secret);
            return null;
        });
    }

    private void rotated() {
        String id = webhook();
        String other = webhook();
        String second = SECRET.replace("MfK", "AAA");
        for (int i = 0; i < 2; i++) {
            // Setting the same secret again must not invalidate the old one.
            rotate(id, second);
            assertThat(find(id).secrets()).containsExactly(second, SECRET);
        }
        assertThat(find(id).oldUntil()).isBetween(Instant.now().plusSeconds(86_000),
                Instant.now().plusSeconds(86_800));
        assertThat(find(other).secrets()).containsExactly(SECRET);
        test.sql("UPDATE webhooks SET old_until = old_until - interval '1 day'");
        assertThat(find(id).secrets()).containsExactly(second);
        assertThat(find(id).oldUntil()).isNull();
    }

    private boolean move(Webhook webhook, Position to) {
        return test.transact((connection, ledgerState) ->
                WebhookRows.move(connection, webhook, to));
    }

    private void moved() {
        String other = webhook();
        for (Position next : List.of(new Position(3, 5, 7), new Position(2, 6, 7),
                new Position(2, 5, 8))) {
            Webhook before = find(webhook());
            assertThat(move(before, next)).isTrue();
            assertThat(move(before, next)).isFalse();
            assertThat(find(before.id()).position()).isEqualTo(next);
            assertThat(move(find(before.id()), next)).isTrue();
        }
        assertThat(find(other).position()).isEqualTo(new Position(2, 5, 7));
    }

    private void due() {
        String id = webhook();
        String other = webhook();
        insert(id, delivery("a1", "a", 1, FAILED), delivery("b1", "b", 0, null),
                delivery("a2", "a", 0, null), delivery("b2", "b", 0, null),
                delivery("c1", "c", 0, null));
        // The same event again.
        insert(id, delivery("b1", "b", 0, null));
        insert(other, delivery("a1", "a", 0, null));
        assertThat(due(id)).containsExactly("b1", "c1");
        assertThat(due(other)).containsExactly("a1");
        test.sql("UPDATE deliveries SET next_at = now() WHERE event = 'a1' AND webhook = '" + id
                + "'");
        assertThat(due(id)).containsExactlyInAnyOrder("a1", "b1", "c1");
        Delivery first = dueOf(id).stream().filter(delivery -> delivery.event().equals("b1"))
                .findFirst().orElseThrow();
        assertThat(first).isEqualTo(new Delivery(first.row(), "b1", "dev.rush.order.confirmed",
                "b", Instant.parse("2026-01-01T00:00:00Z"), "{}", 0, null));
        test.transact((connection, ledgerState) -> {
            DeliveryRows.delivered(connection, first);
            return null;
        });
        assertThat(due(id)).containsExactlyInAnyOrder("a1", "b2", "c1");
        DeliveryRows.Waiting waiting = test.transact((connection, ledgerState) ->
                DeliveryRows.waiting(connection, id));
        assertThat(waiting.subjects()).isEqualTo(Map.of("a", 2L, "b", 1L, "c", 1L));
        assertThat(waiting.oldest()).isEqualTo("2026-01-01T00:00:00Z");
        assertThat(waiting.count()).isEqualTo(4);
    }

    private void givenUp() {
        String id = webhook();
        insert(id, delivery("a1", "a", 0, null), delivery("a2", "a", 0, null));
        assertThat(tried(dueOf(id).get(0), DAY_MS)).isFalse();
        assertThat(due(id)).as("a1 is not due yet, and a2 is behind it").isEmpty();
        WebhookAnswers.Delivered shown = list(id, "waiting", "failed").get(1);
        assertThat(shown).extracting(WebhookAnswers.Delivered::event,
                WebhookAnswers.Delivered::state, WebhookAnswers.Delivered::tries,
                WebhookAnswers.Delivered::status, WebhookAnswers.Delivered::answer)
                .containsExactly("a1", "waiting", 1, 500, "no");
        assertThat(shown.nextAt()).isNotNull();
        assertThat(shown.triedAt()).isNotNull();
        test.sql("UPDATE deliveries SET next_at = now(), created_at = now() - interval '1 day'"
                + " WHERE event = 'a1' AND webhook = '" + id + "'");
        assertThat(tried(dueOf(id).get(0), DAY_MS)).isTrue();
        assertThat(list(id, "failed")).extracting(WebhookAnswers.Delivered::event)
                .containsExactly("a1");
        assertThat(list(id, "failed").get(0).nextAt()).isNull();
        assertThat(list(id, "waiting")).extracting(WebhookAnswers.Delivered::event)
                .containsExactly("a2");
        assertThat(due(id)).containsExactly("a2");
        test.sql("UPDATE deliveries SET next_at = now()");
        assertThat(due(id)).as("a failed delivery is not due").containsExactly("a2");
        redeliver(id, Long.parseLong(shown.delivery()));
        assertThat(due(id)).as("a1 comes before a2").containsExactly("a1");
        assertThat(dueOf(id).get(0).tries()).isZero();
        assertThat(tried(dueOf(id).get(0), DAY_MS)).as("its tries start again").isFalse();
        redeliver(id, Long.parseLong(shown.delivery()));
        assertThat(dueOf(id).get(0).tries()).as("it is only due earlier").isEqualTo(1);
        assertThat(test.<Boolean>transact((connection, ledgerState) -> DeliveryRows.redeliver(
                connection, webhook(), Long.parseLong(shown.delivery())))).isFalse();
    }

    private void redeliver(String id, long delivery) {
        assertThat(test.<Boolean>transact((connection, ledgerState) ->
                DeliveryRows.redeliver(connection, id, delivery))).isTrue();
        assertThat(test.<WebhookAnswers.Delivered>transact((connection, ledgerState) ->
                DeliveryRows.find(connection, id, delivery)).state()).isEqualTo("waiting");
    }

    private void pruned() {
        String id = webhook();
        String other = webhook();
        List<Delivery> many = new ArrayList<>(IntStream.range(0, 5).mapToObj(i ->
                delivery("e" + i, "s" + i, 0, null)).toList());
        for (String one : List.of(id, other)) {
            insert(one, many.toArray(Delivery[]::new));
        }
        test.sql("UPDATE deliveries SET state = 'failed' WHERE event <> 'e4' AND webhook IN ('"
                + id + "', '" + other + "')");
        test.transact((connection, ledgerState) -> {
            DeliveryRows.prune(connection, id, 2);
            return null;
        });
        assertThat(list(id, "failed", "waiting")).extracting(WebhookAnswers.Delivered::event)
                .containsExactly("e4", "e3", "e2");
        assertThat(list(other, "failed")).hasSize(3);
        assertThat(test.sql("SELECT count(*) FROM deliveries WHERE webhook = '" + other + "'"))
                .isEqualTo("5");
    }
}
