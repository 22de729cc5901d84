package dev.rush.http;

import dev.rush.RushConfig;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.common.vertx.VertxContext;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Server-sent events of views. A watched sale or rain is polled once per pod and encoded once per
 * change, regardless of the number of viewers. Viewers are spread over a wheel, one slot of which
 * gets a heartbeat at a time, so that ten thousand of them never block an event loop.
 *
 * <p>A stream writes to the response directly, so the call's future never completes: RESTEasy's
 * support would encode each event for each viewer and keep a timer for each.
 */
@Singleton
public class EventStreams {

    /** Interval of heartbeats, because proxies close streams that are silent for a minute. */
    private static final long HEARTBEAT_MS = 15_000;
    /** Time over which all viewers are disconnected when the pod stops. */
    private static final long FAREWELL_MS = 1_000;
    private static final int RETRY_AFTER_SECONDS = 5;

    private final Vertx vertx;
    private final int streamsMax;
    private final ClientAddresses addresses;
    private final Shares shares;
    private final AtomicInteger streams = new AtomicInteger();
    private final Map<String, EventSource> sources = new ConcurrentHashMap<>();
    private final Map<Context, EventLoopViewers> loops = new ConcurrentHashMap<>();
    private int slot;
    private volatile boolean ending;

    @Inject
    EventStreams(Vertx vertx, ClientAddresses addresses, RushConfig config) {
        this.vertx = vertx;
        this.addresses = addresses;
        this.streamsMax = config.events().streams();
        this.shares = new Shares(config.events().streamsPerAddress(), "streams",
                "This address has reached its limit of streams on this pod.",
                RETRY_AFTER_SECONDS);
    }

    /** Runs at the start, so that a pod reports its streams before it has the first. */
    void start(@Observes StartupEvent event, MeterRegistry registry) {
        Gauge.builder("rush.events.streams", streams, AtomicInteger::get)
                .description("Open streams of server-sent events").register(registry);
        vertx.setPeriodic(HEARTBEAT_MS / EventLoopViewers.SLOTS, timer -> beat(timer));
    }

    /**
     * Starts a stream: the current view, then each change, until the client disconnects, the sale
     * or rain is gone or the pod stops. Must be called on the request's event loop.
     *
     * @param name   identifies the watched sale or rain
     * @param read   reads the current view, or null if it does not exist
     * @param absent the answer if it does not exist
     * @return the answer if there is no stream; never completes if there is one
     */
    public CompletionStage<Response> open(RoutingContext routing, String name,
            Supplier<? extends CompletionStage<Snapshot>> read, Supplier<Problem> absent) {
        Context loop = VertxContext.getRootContext(vertx.getOrCreateContext());
        CompletableFuture<Response> answer = new CompletableFuture<>();
        read.get().whenComplete((view, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(failure);
            } else if (view == null) {
                answer.complete(absent.get().response());
            } else if (HttpMethod.HEAD.equals(routing.request().method())) {
                answer.complete(Response.ok().type(MediaType.SERVER_SENT_EVENTS).build());
            } else {
                String client = addresses.of(routing.request());
                Problem refusal = admit(client);
                if (refusal != null) {
                    answer.complete(refusal.response());
                } else {
                    loop.runOnContext(ignored -> begin(new EventViewer(routing.request(),
                            source(name, read), client), routing, loop, view));
                }
            }
        });
        return answer;
    }

    /** Admits one more stream of a client. Returns null, or the refusal. */
    private @Nullable Problem admit(String client) {
        if (!shares.take(client)) {
            return shares.refusal();
        }
        if (streams.incrementAndGet() > streamsMax) {
            streams.decrementAndGet();
            shares.giveBack(client);
            return Problem.retryable(OutcomeCode.UNAVAILABLE,
                    "This pod has reached its limit of streams.",
                    Map.of(), RETRY_AFTER_SECONDS);
        }
        return null;
    }

    /** The source with this name, with one more viewer. */
    private EventSource source(
            String name, Supplier<? extends CompletionStage<Snapshot>> read) {
        return sources.compute(name, (key, known) -> {
            EventSource source = known != null ? known : new EventSource(vertx, key, read,
                    this::publish, this::gone);
            source.addViewer();
            return source;
        });
    }

    private void begin(
            EventViewer viewer, RoutingContext routing, Context loop, Snapshot view) {
        if (routing.response().closed()) {
            release(viewer);
            return;
        }
        EventSource source = viewer.source();
        EventLoopViewers viewers = loops.computeIfAbsent(loop, EventLoopViewers::new);
        routing.addEndHandler(end -> loop.runOnContext(ignored -> {
            if (viewers.remove(viewer)) {
                release(viewer);
            }
        }));
        viewers.add(viewer);
        viewer.begin(source.offer(view));
        if (ending || source.isOver()) {
            viewer.end();
        }
    }

    private void release(EventViewer viewer) {
        EventSource source = viewer.source();
        shares.giveBack(viewer.client());
        streams.decrementAndGet();
        sources.computeIfPresent(source.name(), (name, known) ->
                known == source && source.removeViewer() == 0 ? null : known);
    }

    private void publish(EventSource source, EventSource.Event event) {
        loops.values().forEach(viewers -> viewers.show(source, event));
    }

    private void gone(EventSource source) {
        sources.remove(source.name(), source);
        loops.values().forEach(viewers -> viewers.end(source));
    }

    private void beat(long timer) {
        if (ending) {
            vertx.cancelTimer(timer);
            return;
        }
        slot = (slot + 1) % EventLoopViewers.SLOTS;
        loops.values().forEach(viewers -> viewers.beat(slot));
    }

    /**
     * Disconnects the viewers before anything else stops; they reconnect elsewhere after {@code
     * retry}. This is spread over time, so that they do not reach the other pods all at once.
     */
    void end(@Observes ShutdownDelayInitiatedEvent event) {
        ending = true;
        AtomicInteger next = new AtomicInteger();
        vertx.setPeriodic(FAREWELL_MS / EventLoopViewers.SLOTS, timer -> {
            int last = next.getAndIncrement();
            loops.values().forEach(viewers -> viewers.end(last));
            if (last == EventLoopViewers.SLOTS - 1) {
                vertx.cancelTimer(timer);
            }
        });
    }
}
