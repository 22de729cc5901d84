package dev.rush.redis.cluster;

import dev.rush.RushConfig;
import dev.rush.redis.ScriptCatalog;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.VertxInternal;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the {@link SlotMap} up to date and gives each event loop its own connections. The topology
 * of the cluster is read again every {@code rush.redis.watch}, and at once if a reply or a lost
 * connection shows that it may be outdated.
 */
@Singleton
public class Router {

    private static final Logger LOG = Logger.getLogger(Router.class);

    /** Internal API: the public one cannot create a context on a given event loop. */
    private final VertxInternal vertx;
    private final NodeFactory nodes;
    /** Creates connections that run no scripts. */
    private final NodeFactory readers;
    private final RushConfig config;
    private final ConcurrentHashMap<Object, EventLoopClient> loops = new ConcurrentHashMap<>();
    private final EventLoopClient background;
    private final TopologyReader reader;
    private final boolean cluster;
    private final SlotMap slots;
    /** The running read, or null. Used only on the background event loop. */
    private @Nullable Future<Void> reading;

    @Inject
    Router(Vertx vertx, Connector connector, ScriptCatalog catalog, Replication replication,
            RushConfig config) {
        this.vertx = (VertxInternal) vertx;
        this.config = config;
        this.cluster = connector.isCluster();
        List<Endpoint> seeds = connector.seeds();
        this.slots = new SlotMap(cluster, seeds, this::requestRead);
        this.nodes = new NodeFactory(connector, catalog.all(), replication, slots, config);
        this.readers = new NodeFactory(connector, List.of(), replication, slots, config);
        this.background = loop(this.vertx.createEventLoopContext());
        this.reader = new TopologyReader(background, seeds);
    }

    /** The client of the calling event-loop thread; for other threads the background one. */
    public EventLoopClient loop() {
        ContextInternal context = ContextInternal.current();
        if (context == null || !context.inThread() || !context.isEventLoopContext()) {
            return background;
        }
        EventLoopClient known = loops.get(context.nettyEventLoop());
        return known != null ? known : loop(context.unwrap());
    }

    private EventLoopClient loop(ContextInternal context) {
        return loops.computeIfAbsent(context.nettyEventLoop(),
                eventLoop -> new EventLoopClient(context, slots, nodes, config));
    }

    /** The clients of all event loops, including those that have not called Redis yet. */
    Collection<EventLoopClient> all() {
        for (EventExecutor eventLoop : vertx.nettyEventLoopGroup()) {
            loop(vertx.createEventLoopContext((EventLoop) eventLoop, null,
                    Thread.currentThread().getContextClassLoader()));
        }
        return loops.values();
    }

    EventLoopClient background() {
        return background;
    }

    Topology topology() {
        return slots.topology();
    }

    /** Sets the listener, called on the background event loop, for slots with an unknown layout. */
    void onUnknownLayout(IntConsumer next) {
        slots.onUnknownLayout(slot -> background.run(() -> next.accept(slot)));
    }

    /** Reports that a call found an unknown layout. */
    void unknownLayout(int slot) {
        slots.unknownLayout(slot);
    }

    /** A dedicated connection on the background event loop that runs no scripts. */
    Node reader(Endpoint endpoint) {
        return readers.node(endpoint, background.context());
    }

    void requestRead() {
        background.run(this::read);
    }

    /**
     * Reads the topology, or joins a running read. Completes within a second. A single Redis has no
     * topology to read. Used only on the background event loop.
     */
    Future<Void> read() {
        if (!cluster) {
            return Future.succeededFuture();
        }
        if (reading == null) {
            Promise<Void> promise = background.context().promise();
            reading = promise.future();
            reader.read(slots.topology()).<Void>map(read -> {
                accept(read);
                return null;
            }).onComplete(done -> {
                slots.refreshed();
                reading = null;
                promise.handle(done);
            });
            return promise.future();
        }
        return reading;
    }

    private void accept(Topology read) {
        if (slots.accept(read)) {
            LOG.infof("Masters of the Redis Cluster: %s", read.masters());
            loops.values().forEach(loop -> loop.run(() -> loop.adopt(read)));
        }
    }
}
