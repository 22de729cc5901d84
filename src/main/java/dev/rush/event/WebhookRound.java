package dev.rush.event;

import dev.rush.RushConfig;
import dev.rush.WebhooksConfig;
import dev.rush.event.Delivery.Result;
import dev.rush.http.Json;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.Position;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One round of one webhook: due retries, and the next events. Deliveries of one subject are
 * sequential, those of different subjects concurrent. Failed deliveries, and later ones of their
 * subject, wait in the ledger, so that a round never waits for a retry. They are stored in the
 * transaction that moves the position; if the pod dies before it, the round is repeated.
 */
@Singleton
class WebhookRound {

    /** Events per round for a slow receiver, or for one of unknown speed. */
    static final int EVENTS_FEW = 100;
    /** Events per round for a fast receiver; larger rounds read batches of orders fewer times. */
    static final int EVENTS_MAX = 1_000;
    /** How long a round starts deliveries; later ones wait, so that retries are on time. */
    private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int DUE_PER_CALL = 4;
    private static final long DELAY_MAX_MS = 4 * 3_600_000L;
    private static final int GROWTH = 4;
    /** Jitter of a delay, so that deliveries that failed together are not retried together. */
    private static final double JITTER = 0.2;

    private final Ledger ledger;
    private final Receivers receivers;
    private final WebhookSender sender;
    private final Json json;
    private final WebhooksConfig config;
    private final Counter delivered;
    private final Counter retried;
    private final Counter failed;

    @Inject
    WebhookRound(Ledger ledger, Receivers receivers, WebhookSender sender, Json json,
            RushConfig config, MeterRegistry registry) {
        this.ledger = ledger;
        this.receivers = receivers;
        this.sender = sender;
        this.json = json;
        this.config = config.webhooks();
        this.delivered = counter(registry, "delivered");
        this.retried = counter(registry, "retried");
        this.failed = counter(registry, "failed");
    }

    private static Counter counter(MeterRegistry registry, String result) {
        return Counter.builder("rush.webhook.deliveries").tag("result", result)
                .description("Attempted deliveries, by result").register(registry);
    }

    /**
     * The state of a webhook.
     *
     * @param isMore  whether there is work for another round at once
     * @param oldest  time of the oldest undelivered event; null if none waits
     * @param waiting number of waiting deliveries
     */
    record State(boolean isMore, @Nullable Instant oldest, long waiting) {
    }

    /** The work of a round. */
    private record Work(Webhook webhook, List<Delivery> due, List<Delivery> fresh,
            DeliveryRows.Waiting waiting, Position next, boolean isEnd) {

        private boolean isIdle() {
            return due.isEmpty() && fresh.isEmpty() && next.equals(webhook.position());
        }

        private @Nullable Instant oldest() {
            Instant first = fresh.isEmpty() ? null : fresh.get(0).at();
            Instant waits = waiting.oldest();
            return first == null || waits != null && waits.isBefore(first) ? waits : first;
        }

        private State state() {
            return new State(false, oldest(), waiting.count());
        }
    }

    /** The deliveries of a round by result; also the lock of its fields. */
    private static final class Outcome {

        /** Earlier deliveries that have succeeded now. */
        private final List<Delivery> succeeded = new ArrayList<>();
        /** Earlier deliveries that have failed again. */
        private final List<Delivery> failedAgain = new ArrayList<>();
        /** New deliveries to store: failed, or behind another one of their subject; in order. */
        private final Map<String, Delivery> undelivered = new LinkedHashMap<>();
        private boolean isInterrupted;
    }

    /**
     * Runs a round.
     *
     * @param max   maximum number of new events
     * @param leads whether this pod may still send
     * @return the state of the webhook; null if it is gone, this pod may no longer send, or another
     *         pod has moved the position
     */
    CompletableFuture<State> run(String id, int max, BooleanSupplier leads) {
        return ledger.run(() -> ledger.transactOrNull((connection, ledgerState) ->
                work(connection, id, max))).thenCompose(work -> {
                    if (work == null || work.isIdle()) {
                        return CompletableFuture.completedFuture(
                                work == null ? null : work.state());
                    }
                    return send(work, leads).thenCompose(outcome -> outcome.isInterrupted
                            ? CompletableFuture.<State>completedFuture(null)
                            : ledger.run(() -> ledger.transactOrNull((connection, ledgerState) ->
                                    store(connection, work, outcome))));
                });
    }

    private @Nullable Work work(Connection connection, String id, int max) throws SQLException {
        Webhook webhook = WebhookRows.find(connection, id);
        if (webhook == null) {
            return null;
        }
        List<Delivery> due =
                DeliveryRows.due(connection, id, DUE_PER_CALL * config.parallel());
        DeliveryRows.Waiting waiting = DeliveryRows.waiting(connection, id);
        int room = (int) Math.min(max, config.waiting() - waiting.count());
        if (room <= 0) {
            return new Work(webhook, due, List.of(), waiting, webhook.position(), true);
        }
        EventReader.Page page = EventReader.read(connection, webhook.position(), room);
        List<Delivery> fresh = page.events().stream().filter(webhook::wants)
                .map(this::delivery).toList();
        return new Work(webhook, due, fresh, waiting, page.next(), page.isEnd());
    }

    private Delivery delivery(CloudEvent event) {
        return new Delivery(0, event.id(), event.type(), event.subject(),
                Instant.parse(event.time()),
                new String(json.write(event), StandardCharsets.UTF_8), 0, null);
    }

    private CompletableFuture<Outcome> send(Work work, BooleanSupplier leads) {
        Outcome outcome = new Outcome();
        Map<String, Deque<Delivery>> chains = new LinkedHashMap<>();
        work.due.forEach(delivery -> chains.put(delivery.subject(),
                new ArrayDeque<>(List.of(delivery))));
        for (Delivery delivery : work.fresh) {
            outcome.undelivered.put(delivery.event(), delivery);
            if (!work.waiting.subjects().containsKey(delivery.subject())) {
                chains.computeIfAbsent(delivery.subject(), subject -> new ArrayDeque<>())
                        .add(delivery);
            }
        }
        Queue<Deque<Delivery>> queue = new ConcurrentLinkedQueue<>(chains.values());
        if (queue.isEmpty()) {
            return CompletableFuture.completedFuture(outcome);
        }
        return receivers.resolve(Receivers.host(URI.create(work.webhook.url())))
                .handle((address, failure) -> {
                    ChainSender chain = new ChainSender(
                            work.webhook, address, failure, leads, queue, outcome);
                    CompletableFuture<?>[] all = new CompletableFuture<?>[config.parallel()];
                    for (int i = 0; i < all.length; i++) {
                        all[i] = chain.next(queue.poll());
                    }
                    return CompletableFuture.allOf(all);
                }).thenCompose(all -> all).thenApply(done -> outcome);
    }

    /** Sends chains of deliveries in sequence, each up to its first failure. */
    private final class ChainSender {

        private final Webhook webhook;
        private final InetAddress address;
        private final Throwable refusal;
        private final BooleanSupplier leads;
        private final Queue<Deque<Delivery>> queue;
        private final Outcome outcome;
        private final long untilNanos = System.nanoTime() + ROUND_NANOS;

        private ChainSender(Webhook webhook, InetAddress address, Throwable refusal,
                BooleanSupplier leads, Queue<Deque<Delivery>> queue, Outcome outcome) {
            this.webhook = webhook;
            this.address = address;
            this.refusal = refusal;
            this.leads = leads;
            this.queue = queue;
            this.outcome = outcome;
        }

        private CompletableFuture<Void> next(Deque<Delivery> chain) {
            Deque<Delivery> current = chain;
            while (current != null && current.isEmpty()) {
                current = queue.poll();
            }
            if (current == null || isInterrupted() || System.nanoTime() - untilNanos > 0) {
                return CompletableFuture.completedFuture(null);
            }
            Deque<Delivery> remaining = current;
            Delivery delivery = remaining.poll();
            return attempt(delivery).thenCompose(result -> {
                record(delivery.tried(result));
                return next(result.isDelivered() ? remaining : queue.poll());
            });
        }

        private boolean isInterrupted() {
            if (!leads.getAsBoolean()) {
                synchronized (outcome) {
                    outcome.isInterrupted = true;
                }
            }
            return outcome.isInterrupted;
        }

        private CompletableFuture<Result> attempt(Delivery delivery) {
            if (refusal != null) {
                String reason = refusal.getMessage();
                return CompletableFuture.completedFuture(
                        new Result(0, reason == null ? "the host did not resolve" : reason));
            }
            return sender.send(webhook, address, delivery);
        }

        private void record(Delivery tried) {
            synchronized (outcome) {
                if (tried.isDelivered()) {
                    delivered.increment();
                    outcome.undelivered.remove(tried.event());
                    if (tried.row() > 0) {
                        outcome.succeeded.add(tried);
                    }
                } else if (tried.row() > 0) {
                    outcome.failedAgain.add(tried);
                } else {
                    retried.increment();
                    outcome.undelivered.put(tried.event(), tried);
                }
            }
        }
    }

    private @Nullable State store(Connection connection, Work work, Outcome outcome)
            throws SQLException {
        String id = work.webhook.id();
        if (!WebhookRows.move(connection, work.webhook, work.next)) {
            return null;
        }
        for (Delivery delivery : outcome.succeeded) {
            DeliveryRows.delivered(connection, delivery);
        }
        boolean anyFailed = false;
        for (Delivery delivery : outcome.failedAgain) {
            boolean isGivenUp = DeliveryRows.tried(connection, delivery, this::delayMs,
                    config.giveUp().toMillis());
            (isGivenUp ? failed : retried).increment();
            anyFailed |= isGivenUp;
        }
        if (anyFailed) {
            DeliveryRows.prune(connection, id, config.kept());
        }
        DeliveryRows.insert(
                connection, id, List.copyOf(outcome.undelivered.values()), this::delayMs);
        DeliveryRows.Waiting waiting = DeliveryRows.waiting(connection, id);
        return new State(!work.isEnd || !work.due.isEmpty() || !work.fresh.isEmpty(),
                waiting.oldest(), waiting.count());
    }

    private long delayMs(int tries) {
        double delay = config.retry().toMillis() * Math.pow(GROWTH, tries - 1.0);
        double jitter = 1 + JITTER * (2 * ThreadLocalRandom.current().nextDouble() - 1);
        return Math.max(1, (long) (Math.min(delay, DELAY_MAX_MS) * jitter));
    }
}
