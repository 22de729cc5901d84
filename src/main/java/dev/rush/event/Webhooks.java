package dev.rush.event;

import dev.rush.RushConfig;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.http.Violations;
import dev.rush.ledger.Actor;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerState;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Operators' changes of webhooks. Every change is audited, without secrets. */
@Singleton
class Webhooks {

    private final Ledger ledger;
    private final int max;

    @Inject
    Webhooks(Ledger ledger, RushConfig config) {
        this.ledger = ledger;
        this.max = config.webhooks().max();
    }

    /** The result of putting a webhook. */
    record Put(Webhook webhook, boolean isNew) {
    }

    /** All webhooks, by id. */
    CompletableFuture<List<Webhook>> all() {
        return ledger.read((connection, ledgerState) -> WebhookRows.all(connection));
    }

    /** The webhook of this id, or null. */
    CompletableFuture<Webhook> find(String id) {
        return ledger.read((connection, ledgerState) -> WebhookRows.find(connection, id));
    }

    /**
     * Creates or changes a webhook. A new one receives the events from now on.
     *
     * @return fails with {@code invalid-request} if a new webhook has no secret, and with {@code
     *         limit-reached} if there are {@code rush.webhooks.max} already
     */
    CompletableFuture<Put> put(String id, WebhookRequest request, Actor actor) {
        return ledger.call((connection, ledgerState) -> {
            WebhookRows.lock(connection);
            Webhook before = WebhookRows.find(connection, id);
            if (before == null) {
                insert(connection, ledgerState, id, request);
            } else {
                WebhookRows.change(connection, id, request.url(), request.types(),
                        request.secret());
            }
            Webhook after = Objects.requireNonNull(WebhookRows.find(connection, id));
            boolean rotates = before != null
                    && !before.secrets().get(0).equals(after.secrets().get(0));
            if (before == null || rotates || !Objects.equals(shown(before), shown(after))) {
                audit(connection, ledgerState, actor, before == null ? "webhook.created"
                        : "webhook.changed", id, before, after,
                        rotates ? anotherSecret(actor) : actor.cause());
            }
            return new Put(after, before == null);
        });
    }

    private void insert(Connection connection, LedgerState ledgerState, String id,
            WebhookRequest request) throws SQLException {
        if (request.secret() == null) {
            throw new ProblemException(
                    Violations.problem("secret", "is required for a new webhook"));
        }
        if (WebhookRows.all(connection).size() >= max) {
            throw new ProblemException(Problem.of(OutcomeCode.LIMIT_REACHED,
                    "The maximum number of webhooks is registered.", Map.of("limit", (long) max)));
        }
        WebhookRows.insert(connection, id, request.url(), request.types(), request.secret(),
                EventReader.end(connection, ledgerState.epoch()));
    }

    /** Removes a webhook and its deliveries. Returns whether it existed. */
    CompletableFuture<Boolean> delete(String id, Actor actor) {
        return ledger.call((connection, ledgerState) -> {
            WebhookRows.lock(connection);
            Webhook before = WebhookRows.find(connection, id);
            if (before != null) {
                WebhookRows.delete(connection, id);
                audit(connection, ledgerState, actor, "webhook.deleted", id, before, null,
                        actor.cause());
            }
            return before != null;
        });
    }

    /**
     * Deliveries of a webhook in any of these states, newest first; null if there is no such
     * webhook.
     */
    CompletableFuture<List<WebhookAnswers.Delivered>> deliveries(
            String id, List<String> states, int limit) {
        return ledger.read((connection, ledgerState) -> WebhookRows.find(connection, id) == null
                ? null : DeliveryRows.list(connection, id, states, limit));
    }

    /** Makes a delivery due at once; a failed one starts over. Null if there is none. */
    CompletableFuture<WebhookAnswers.Delivered> redeliver(
            String id, long delivery, Actor actor) {
        return ledger.call((connection, ledgerState) -> {
            if (!DeliveryRows.redeliver(connection, id, delivery)) {
                return null;
            }
            WebhookAnswers.Delivered found = DeliveryRows.find(connection, id, delivery);
            AuditRows.insert(connection, ledgerState, UUID.randomUUID(), actor,
                    "webhook.redelivered", "webhook/" + id, null, found.event(),
                    actor.cause());
            return found;
        });
    }

    /** Secrets are not shown, so that only the cause can say that one was changed. */
    private static String anotherSecret(Actor actor) {
        String noted = "with another secret";
        return actor.cause() == null ? noted : actor.cause() + " (" + noted + ")";
    }

    private static void audit(Connection connection, LedgerState ledgerState, Actor actor,
            String action, String id, @Nullable Webhook before, @Nullable Webhook after,
            @Nullable String cause) throws SQLException {
        AuditRows.insert(connection, ledgerState, UUID.randomUUID(), actor, action,
                "webhook/" + id, shown(before), shown(after), cause);
    }

    private static @Nullable Map<String, Object> shown(@Nullable Webhook webhook) {
        if (webhook == null) {
            return null;
        }
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("url", webhook.url());
        shown.put("types", webhook.types());
        return shown;
    }
}
