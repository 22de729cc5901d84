package dev.rush.event;

import dev.rush.RushConfig;
import dev.rush.ledger.LeaderLease;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerFailure;
import dev.rush.ledger.LedgerProblems;
import dev.rush.ledger.PeriodicTask;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Delivers events to webhooks, on the leading pod. Each webhook has its own rounds, so that a slow
 * receiver delays no other. A pod stops sending so long before its lease ends that its deliveries
 * are over before another pod can start.
 */
@Singleton
class WebhookDispatcher {

    private static final Logger LOG = Logger.getLogger(WebhookDispatcher.class);
    private static final String LEASE = "webhooks";
    private static final long POLL_MS = 200;
    private static final long BACKOFF_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MARGIN_MS = 2_000;
    /** Maximum duration of a round after which the next one may be twice as large. */
    private static final long QUICK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Ledger ledger;
    private final LeaderLease lease;
    private final WebhookRound round;
    private final boolean active;
    private final long timeoutMs;
    private final long leaseMs;
    private final PeriodicTask task;
    private final MultiGauge lag;
    private final MultiGauge waiting;
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();
    private final Map<String, Long> backoffUntilNanos = new ConcurrentHashMap<>();
    private final Map<String, WebhookRound.State> states = new ConcurrentHashMap<>();
    private final Map<String, Integer> sizes = new ConcurrentHashMap<>();
    private Set<String> reported = Set.of();
    private volatile boolean leads;
    private volatile long leadsUntilNanos;
    private long renewNanos = System.nanoTime();
    private volatile boolean stopped;

    @Inject
    WebhookDispatcher(Ledger ledger, LeaderLease lease, WebhookRound round, RushConfig config,
            MeterRegistry registry) {
        this.ledger = ledger;
        this.lease = lease;
        this.round = round;
        this.active = config.orders().sink().stores() && config.role().writes();
        this.timeoutMs = config.webhooks().timeout().toMillis();
        this.leaseMs = 2 * timeoutMs + 3 * MARGIN_MS;
        this.task = new PeriodicTask("webhooks", POLL_MS, this::poll);
        this.lag = MultiGauge.builder("rush.webhook.lag").baseUnit("seconds")
                .description("Age of the oldest event that a webhook has not accepted")
                .register(registry);
        this.waiting = MultiGauge.builder("rush.webhook.waiting")
                .description("Deliveries of a webhook that wait for a retry")
                .register(registry);
    }

    void start(@Observes StartupEvent event) {
        if (active) {
            task.start();
        }
    }

    /** Waits for a running renewal, which would otherwise take the lease again. */
    void stop(@Observes ShutdownEvent event) {
        stopped = true;
        task.close();
        synchronized (this) {
            if (leads) {
                leads = false;
                // While a delivery is being sent, another pod must wait until the lease lapses.
                if (underWay.isEmpty()) {
                    lease.release(LEASE);
                }
            }
        }
    }

    private boolean poll() {
        if (!ledger.isReady()) {
            return false;
        }
        renew();
        if (!leads) {
            forget();
            return false;
        }
        List<Webhook> all = ledger.transact((connection, ledgerState) ->
                WebhookRows.all(connection));
        Set<String> ids = ConcurrentHashMap.newKeySet();
        all.forEach(webhook -> ids.add(webhook.id()));
        states.keySet().retainAll(ids);
        backoffUntilNanos.keySet().retainAll(ids);
        sizes.keySet().retainAll(ids);
        long now = System.nanoTime();
        ids.stream().filter(id -> now - backoffUntilNanos.getOrDefault(id, now) >= 0)
                .forEach(this::startRound);
        report();
        return false;
    }

    private synchronized void renew() {
        long now = System.nanoTime();
        if (stopped || now - renewNanos < 0) {
            return;
        }
        try {
            leads = lease.take(LEASE, leaseMs);
            leadsUntilNanos = now + TimeUnit.MILLISECONDS.toNanos(leaseMs);
        } catch (LedgerFailure e) {
            LOG.debugf("The lease of the webhooks could not be renewed: %s", e.getMessage());
        }
        renewNanos = now + TimeUnit.MILLISECONDS.toNanos(
                leads ? leaseMs / 8 : Math.min(leaseMs / 8, 1_000));
    }

    /** Whether a delivery that starts now ends before another pod can start. */
    private boolean maySend() {
        return leads && leadsUntilNanos - System.nanoTime()
                > TimeUnit.MILLISECONDS.toNanos(timeoutMs + MARGIN_MS);
    }

    private void startRound(String id) {
        if (!maySend() || !underWay.add(id)) {
            return;
        }
        int size = sizes.getOrDefault(id, WebhookRound.EVENTS_FEW);
        long startedNanos = System.nanoTime();
        // Composed, so that an exception of the call itself also ends the round.
        CompletableFuture.completedFuture(id).thenCompose(webhook ->
                round.run(webhook, size, this::maySend)).whenComplete((state, failure) -> {
            if (failure != null) {
                LOG.logf(LedgerProblems.isExpected(failure) ? Logger.Level.DEBUG
                        : Logger.Level.ERROR, failure, "The round of webhook %s failed", id);
            }
            if (state != null) {
                states.put(id, state);
            }
            sizes.put(id, nextSize(size, state, System.nanoTime() - startedNanos));
            backoffUntilNanos.put(id, System.nanoTime()
                    + (state != null && state.isMore() ? 0 : BACKOFF_NANOS));
            underWay.remove(id);
            if (state != null && state.isMore()) {
                startRound(id);
            }
        });
    }

    /** The size of the next round; a round without deliveries does not change it. */
    static int nextSize(int size, WebhookRound.State state, long nanos) {
        if (state == null || state.waiting() > 0 || nanos > QUICK_NANOS) {
            return WebhookRound.EVENTS_FEW;
        }
        return state.isMore() ? Math.min(2 * size, WebhookRound.EVENTS_MAX) : size;
    }

    private void forget() {
        states.clear();
        backoffUntilNanos.clear();
        sizes.clear();
        report();
    }

    /** Registers the gauges of the known webhooks; their values are computed on scrape. */
    private void report() {
        if (!reported.equals(states.keySet())) {
            reported = Set.copyOf(states.keySet());
            lag.register(reported.stream().map(id -> MultiGauge.Row.of(
                    Tags.of("webhook", id), () -> ageSeconds(states.get(id)))).toList(), true);
            waiting.register(reported.stream().map(id -> MultiGauge.Row.of(
                    Tags.of("webhook", id), () -> waiting(states.get(id)))).toList(), true);
        }
    }

    private static double waiting(WebhookRound.@Nullable State state) {
        return state == null ? 0 : state.waiting();
    }

    private static double ageSeconds(WebhookRound.@Nullable State state) {
        return state == null || state.oldest() == null ? 0 : Math.max(0,
                Duration.between(state.oldest(), Instant.now()).toMillis() / 1000.0);
    }
}
