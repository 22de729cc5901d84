package dev.rush.sale;

import dev.rush.RushConfig;
import dev.rush.http.Caller;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.http.Shares;
import dev.rush.ledger.Ledger;
import dev.rush.order.BuyerRecord;
import dev.rush.order.BuyerRecords;
import dev.rush.redis.Partition;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.common.vertx.VertxContext;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Requests that wait until the ledger has an order. The head of each partition's stream is polled
 * in Redis, regardless of the number of waiting requests; the ledger is read only once the head has
 * passed an order. No thread waits. Everything except admission runs on one event loop.
 */
@Singleton
class OrderWaits {

    /** Proxies time out after a minute. */
    static final int SECONDS_MAX = 30;
    private static final long POLL_MS = 100;
    /** Interval at which an order is read again that left the stream but is not in the ledger. */
    private static final long RECHECK_MS = 1_000;
    /**
     * Maximum concurrent reads, because a thousand requests may wait for one batch, and the ledger
     * has other callers.
     */
    private static final int READS_MAX = 8;
    private static final int RETRY_AFTER_SECONDS = 1;
    /** The number of an order that has left the stream. */
    private static final long DEQUEUED = -1;
    private static final long UNKNOWN = Long.MAX_VALUE;

    private final BuyerRecords records;
    private final SaleViewCache views;
    private final Orders orders;
    private final Ledger ledger;
    private final Vertx vertx;
    private final int max;
    private final Shares shares;
    private final AtomicInteger admitted = new AtomicInteger();
    private final Set<Waiter> waiters = new LinkedHashSet<>();
    private final Set<Place> headsBeingRead = new HashSet<>();
    @SuppressWarnings("NullAway.Init") // Set at the start, before any request.
    private Context context;
    private boolean polling;
    private int reads;
    private volatile boolean ending;

    /** A sale's part of a partition's stream. */
    private record Place(String sale, Partition shard) {
    }

    /** A waiting request. */
    private static final class Waiter {
        private final OrderView accepted;
        /** The user whose limit it counts against; null for unlimited callers. */
        private final @Nullable String limitedUser;
        private final Context loop;
        private final CompletableFuture<OrderView> answer = new CompletableFuture<>();
        private @Nullable Place place;
        /** Its number in the stream. */
        private long number = UNKNOWN;
        private long timer = -1;
        private long notBefore = System.nanoTime();
        private boolean reading;
        private boolean over;

        Waiter(OrderView accepted, @Nullable String limitedUser, Context loop) {
            this.accepted = accepted;
            this.limitedUser = limitedUser;
            this.loop = loop;
        }
    }

    @Inject
    OrderWaits(BuyerRecords records, SaleViewCache views, Orders orders, Ledger ledger, Vertx vertx,
            RushConfig config) {
        this.records = records;
        this.views = views;
        this.orders = orders;
        this.ledger = ledger;
        this.vertx = vertx;
        this.max = config.waits().requests();
        this.shares = new Shares(config.waits().perUser(), "waits",
                "This user already has the maximum number of waiting requests on this pod.",
                RETRY_AFTER_SECONDS);
    }

    void start(@Observes StartupEvent event, MeterRegistry registry) {
        context = VertxContext.getRootContext(vertx.getOrCreateContext());
        Gauge.builder("rush.order.waits", admitted, AtomicInteger::get)
                .description("Requests that wait until the ledger has an order")
                .register(registry);
    }

    /**
     * Waits for an order.
     *
     * @return the order once it is no longer accepted, or after the timeout; completes on the
     *         request's event loop, but never for a disconnected client
     */
    CompletableFuture<OrderView> await(
            Exchange exchange, Caller caller, OrderView accepted, int seconds) {
        if (ending) {
            return CompletableFuture.completedFuture(accepted);
        }
        String limitedUser = caller.isLimited() ? caller.user() : null;
        Waiter waiter = new Waiter(accepted, limitedUser, exchange.loop());
        if (exchange.routing().response().closed()) {
            return waiter.answer;
        }
        admit(limitedUser);
        exchange.routing().addEndHandler(end -> context.runOnContext(ignored -> leave(waiter)));
        context.runOnContext(ignored -> begin(waiter, seconds));
        return waiter.answer;
    }

    private void admit(@Nullable String limitedUser) {
        if (limitedUser != null && !shares.take(limitedUser)) {
            throw new ProblemException(shares.refusal());
        }
        if (admitted.incrementAndGet() > max) {
            release(limitedUser);
            throw new ProblemException(Problem.retryable(OutcomeCode.UNAVAILABLE,
                    "This pod has the maximum number of waiting requests; ask without wait.",
                    Map.of(), RETRY_AFTER_SECONDS));
        }
    }

    private void release(@Nullable String limitedUser) {
        admitted.decrementAndGet();
        if (limitedUser != null) {
            shares.giveBack(limitedUser);
        }
    }

    private void begin(Waiter waiter, int seconds) {
        if (waiter.over) {
            return;
        }
        if (ending) {
            finish(waiter, waiter.accepted, null);
            return;
        }
        waiters.add(waiter);
        waiter.timer = vertx.setTimer(seconds * 1_000L, late -> read(waiter, true));
        if (ledger.isConfigured()) {
            locate(waiter);
            startPolling();
        }
    }

    /** Finds the order's position in the stream. */
    private void locate(Waiter waiter) {
        OrderView order = waiter.accepted;
        views.shards(order.sale()).thenCompose(shards -> {
            Partition shard = shards.of(order.user());
            return records.of(order.sale(), shard, order.user()).thenAccept(record ->
                    context.runOnContext(ignored -> {
                        BuyerRecord.Line line = record.order(order.order());
                        waiter.place = new Place(order.sale(), shard);
                        waiter.number = line != null && record.isWaiting(line)
                                ? line.head() : DEQUEUED;
                    }));
        }).exceptionally(failure -> {
            context.runOnContext(ignored -> waiter.number = DEQUEUED);
            return null;
        });
    }

    private void startPolling() {
        if (!polling) {
            polling = true;
            vertx.setPeriodic(POLL_MS, timer -> context.runOnContext(ignored -> {
                if (waiters.isEmpty() && polling) {
                    polling = false;
                    vertx.cancelTimer(timer);
                } else {
                    poll();
                }
            }));
        }
    }

    private void poll() {
        waiters.stream().filter(waiter -> waiter.place != null && waiter.number != DEQUEUED)
                .map(waiter -> waiter.place).collect(Collectors.toSet()).forEach(this::readHead);
        long now = System.nanoTime();
        for (Waiter waiter : Set.copyOf(waiters)) {
            if (waiter.number == DEQUEUED && !waiter.reading && reads < READS_MAX
                    && now - waiter.notBefore >= 0) {
                read(waiter, false);
            }
        }
    }

    /** Reads the head of a stream, unless a read is running. */
    private void readHead(Place place) {
        if (!headsBeingRead.add(place)) {
            return;
        }
        records.of(place.sale, place.shard, "").whenComplete((record, failure) ->
                context.runOnContext(ignored -> {
                    headsBeingRead.remove(place);
                    if (failure == null) {
                        waiters.stream().filter(waiter -> place.equals(waiter.place)
                                && waiter.number < record.waitingFrom())
                                .forEach(waiter -> waiter.number = DEQUEUED);
                    }
                }));
    }

    /** Reads the order; the last read is the answer, whatever its result. */
    private void read(Waiter waiter, boolean last) {
        OrderView order = waiter.accepted;
        waiter.reading = true;
        reads++;
        orders.find(order.sale(), order.order(), order.user()).whenComplete((found, failure) ->
                context.runOnContext(ignored -> {
                    reads--;
                    waiter.reading = false;
                    if (last || failure == null && (found == null || !found.isAccepted())) {
                        finish(waiter, found, failure);
                    } else {
                        waiter.notBefore = System.nanoTime() + RECHECK_MS * 1_000_000;
                    }
                }));
    }

    private void finish(Waiter waiter, OrderView found, @Nullable Throwable failure) {
        if (leave(waiter)) {
            waiter.loop.runOnContext(ignored -> {
                if (failure == null) {
                    waiter.answer.complete(found);
                } else {
                    waiter.answer.completeExceptionally(failure);
                }
            });
        }
    }

    /** Frees the slot. Returns whether the request was still waiting. */
    private boolean leave(Waiter waiter) {
        if (waiter.over) {
            return false;
        }
        waiter.over = true;
        waiters.remove(waiter);
        vertx.cancelTimer(waiter.timer);
        release(waiter.limitedUser);
        return true;
    }

    /** Answers all requests at once; a client that retries reaches another pod. */
    void end(@Observes ShutdownDelayInitiatedEvent event) {
        ending = true;
        context.runOnContext(ignored -> Set.copyOf(waiters).forEach(waiter ->
                finish(waiter, waiter.accepted, null)));
    }
}
