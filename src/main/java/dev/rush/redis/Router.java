package dev.rush.redis;

import dev.rush.RushConfig;
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
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jboss.logging.Logger;

/**
 * Knows which node owns which slot and gives each event loop its own connections. The picture of
 * the cluster is read again every {@code rush.redis.watch}, and at once whenever a reply or a lost
 * connection says that it may be old.
 */
@Singleton
class Router {

    private static final Logger LOG = Logger.getLogger(Router.class);
    private static final long REFRESH_PAUSE_MS = 100;

    private final VertxInternal vertx;
    private final Connector connector;
    private final List<Script> scripts;
    private final RushConfig config;
    private final ConcurrentHashMap<Object, Loop> loops = new ConcurrentHashMap<>();
    private final Loop background;
    private final TopologyReader reader;
    private final boolean cluster;
    private final Replication replication;
    private volatile Topology topology;
    /** Who looks which layout a slot has. */
    private volatile IntConsumer doubts = slot -> { };
    /** The reading that is under way, or null. Used on the background's event loop only. */
    private Future<Void> reading;
    private volatile long refreshedNanos = System.nanoTime() - TimeUnit.SECONDS.toNanos(1);

    @Inject
    Router(Vertx vertx, Connector connector, ScriptCatalog catalog, Replication replication,
            RushConfig config) {
        this.vertx = (VertxInternal) vertx;
        this.connector = connector;
        this.scripts = catalog.all();
        this.config = config;
        this.replication = replication;
        this.cluster = connector.isCluster();
        List<Endpoint> seeds = connector.seeds();
        this.topology = cluster ? Topology.unknown(seeds) : Topology.single(seeds.get(0));
        this.background = loop(this.vertx.createEventLoopContext());
        this.reader = new TopologyReader(background, seeds);
    }

    /** The loop of the calling event-loop thread; elsewhere the one kept for background work. */
    Loop loop() {
        ContextInternal context = ContextInternal.current();
        if (context == null || !context.inThread() || !context.isEventLoopContext()) {
            return background;
        }
        Loop known = loops.get(context.nettyEventLoop());
        return known != null ? known : loop(context.unwrap());
    }

    private Loop loop(ContextInternal context) {
        return loops.computeIfAbsent(context.nettyEventLoop(),
                eventLoop -> new Loop(context, this, config));
    }

    /** The loops of all event loops, of those too that have not called Redis yet. */
    Collection<Loop> all() {
        for (EventExecutor eventLoop : vertx.getEventLoopGroup()) {
            loop(vertx.createEventLoopContext((EventLoop) eventLoop, null,
                    Thread.currentThread().getContextClassLoader()));
        }
        return loops.values();
    }

    Loop background() {
        return background;
    }

    Node node(Endpoint endpoint, ContextInternal context) {
        return new Node(endpoint, context, connector, scripts,
                config.redis().connect().toMillis(), config.redis().calls());
    }

    /**
     * A connection for calls that wait for replicas, not yet open.
     *
     * @param stuckNanos after which a connection without any reply is closed; no WAIT takes as long
     */
    Node replicatedNode(Endpoint endpoint, ContextInternal context, long stuckNanos) {
        return new ReplicatedNode(endpoint, context, connector, scripts,
                config.redis().connect().toMillis(), config.redis().calls(),
                new ReplicatedNode.Terms(replication,
                        () -> replication.asked(topology, endpoint), stuckNanos));
    }

    Topology topology() {
        return topology;
    }

    /** Follows a MOVED reply at once and has the whole picture read again. */
    void moved(int slot, Endpoint endpoint) {
        if (!cluster) {
            return;
        }
        synchronized (this) {
            if (!endpoint.equals(topology.master(slot))) {
                topology = topology.moved(slot, endpoint);
            }
        }
        refresh();
    }

    /** Names who is told, on the background's event loop, of slots whose layout is not known. */
    void onDoubt(IntConsumer next) {
        doubts = next;
    }

    /** Has the layout of a slot looked at, as a call has met one that is not known. */
    void doubt(int slot) {
        background.run(() -> doubts.accept(slot));
    }

    /** Has the picture read again, unless that is under way or was done a moment ago. */
    void refresh() {
        if (cluster && System.nanoTime() - refreshedNanos
                >= TimeUnit.MILLISECONDS.toNanos(REFRESH_PAUSE_MS)) {
            background.run(this::read);
        }
    }

    /**
     * Reads the picture, or waits for who is at it. It ends within a second. A single Redis has
     * none to read. On the background's event loop only.
     */
    Future<Void> read() {
        if (!cluster) {
            return Future.succeededFuture();
        }
        if (reading == null) {
            Promise<Void> promise = background.context().promise();
            reading = promise.future();
            reader.read(topology).<Void>map(read -> {
                accept(read);
                return null;
            }).onComplete(done -> {
                refreshedNanos = System.nanoTime();
                reading = null;
                promise.handle(done);
            });
            return promise.future();
        }
        return reading;
    }

    private void accept(Topology read) {
        boolean changed;
        synchronized (this) {
            changed = !read.masters().equals(topology.masters())
                    || !read.nodes().equals(topology.nodes());
            topology = read;
        }
        if (changed) {
            LOG.infof("Masters of the Redis Cluster: %s", read.masters());
            loops.values().forEach(loop -> loop.run(() -> loop.adopt(read)));
        }
    }
}
