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

/**
 * Server-sent events of views. A sale or rain that somebody watches is looked at once per pod and
 * encoded once per change, however many watch it. Viewers are spread over a wheel, one slot of
 * which hears a heartbeat at a time, so that ten thousand of them never hold up an event loop.
 *
 * <p>A stream writes to the response itself, so the call's future never completes: what RESTEasy
 * offers encodes each event again for each viewer and keeps a timer for each.
 */
@Singleton
public class EventStreams {

    /** Every viewer hears from its stream this often: proxies cut what is silent for a minute. */
    private static final long HEARTBEAT_MS = 15_000;
    /** All viewers are gone this long after the pod was told to stop, spread over that time. */
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
        this.shares = new Shares(config.events().streamsPerAddress());
    }

    /** At the start, so that a pod reports its streams before it has the first. */
    void start(@Observes StartupEvent event, MeterRegistry registry) {
        Gauge.builder("rush.events.streams", streams, AtomicInteger::get)
                .description("Open streams of server-sent events").register(registry);
        vertx.setPeriodic(HEARTBEAT_MS / EventLoopViewers.SLOTS, timer -> beat(timer));
    }

    /**
     * Begins a stream: the present view, then each change, until the client leaves, the thing is
     * gone or the pod stops. To be called on the request's event loop.
     *
     * @param name   tells things apart that may be watched
     * @param read   gives the present view, or null if there is no such thing
     * @param absent what is answered then
     * @return the answer where there is no stream; never completes where there is one
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
            } else if (routing.request().method() == HttpMethod.HEAD) {
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

    /** Counts a stream more of a client; null, or why there is none. */
    private Problem admit(String client) {
        if (!shares.take(client)) {
            return Problem.retryable(Word.RATE_LIMITED, "This address has as many streams of this "
                    + "pod as it may have.", Map.of("retryAfter", RETRY_AFTER_SECONDS),
                    RETRY_AFTER_SECONDS);
        }
        if (streams.incrementAndGet() > streamsMax) {
            streams.decrementAndGet();
            shares.giveBack(client);
            return Problem.retryable(Word.UNAVAILABLE, "This pod has as many streams as it may "
                    + "have.", Map.of(), RETRY_AFTER_SECONDS);
        }
        return null;
    }

    /** The source of a thing with one viewer more. */
    private EventSource source(
            String name, Supplier<? extends CompletionStage<Snapshot>> read) {
        return sources.compute(name, (key, known) -> {
            EventSource source = known != null ? known : new EventSource(vertx, key, read,
                    this::publish, this::gone);
            source.viewerCame();
            return source;
        });
    }

    private void begin(
            EventViewer viewer, RoutingContext routing, Context loop, Snapshot view) {
        if (routing.response().closed()) {
            left(viewer);
            return;
        }
        EventSource source = viewer.source();
        EventLoopViewers viewers = loops.computeIfAbsent(loop, EventLoopViewers::new);
        routing.addEndHandler(end -> loop.runOnContext(ignored -> {
            if (viewers.remove(viewer)) {
                left(viewer);
            }
        }));
        viewers.add(viewer);
        viewer.begin(source.offer(view));
        if (ending || source.isOver()) {
            viewer.end();
        }
    }

    private void left(EventViewer viewer) {
        EventSource source = viewer.source();
        shares.giveBack(viewer.client());
        streams.decrementAndGet();
        sources.computeIfPresent(source.name(), (name, known) ->
                known == source && source.viewerLeft() == 0 ? null : known);
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
     * Sends the viewers elsewhere before anything else ends; they come again after {@code retry}.
     * Not all at once, since then they would all come to the other pods at once.
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
