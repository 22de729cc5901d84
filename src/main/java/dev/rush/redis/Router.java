package dev.rush.redis;

import dev.rush.RushConfig;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.VertxInternal;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;

/**
 * Knows which node owns which slot and gives each event loop its own connections. The picture of
 * the cluster is read again, by one asker at a time, whenever a reply or a lost connection says
 * that it may be old.
 */
@Singleton
class Router {

    private static final Logger LOG = Logger.getLogger(Router.class);
    private static final long REFRESH_PAUSE_MS = 100;
    private static final long ASK_TIMEOUT_MS = 400;

    private final VertxInternal vertx;
    private final Connector connector;
    private final List<Script> scripts;
    private final RushConfig config;
    private final ConcurrentHashMap<Object, Loop> loops = new ConcurrentHashMap<>();
    private final AtomicBoolean refreshing = new AtomicBoolean();
    private final Loop background;
    private final boolean cluster;
    private volatile Topology topology;
    private volatile long refreshedNanos = System.nanoTime() - TimeUnit.SECONDS.toNanos(1);

    @Inject
    Router(Vertx vertx, Connector connector, ScriptCatalog catalog, RushConfig config) {
        this.vertx = (VertxInternal) vertx;
        this.connector = connector;
        this.scripts = catalog.all();
        this.config = config;
        this.cluster = connector.isCluster();
        this.topology = cluster ? Topology.unknown(connector.seeds())
                : Topology.single(connector.seeds().get(0));
        this.background = loop(this.vertx.createEventLoopContext());
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

    Node node(String endpoint, ContextInternal context) {
        return new Node(endpoint, context, connector, scripts);
    }

    Topology topology() {
        return topology;
    }

    /** Follows a MOVED reply at once and has the whole picture read again. */
    void moved(int slot, String endpoint) {
        synchronized (this) {
            if (!endpoint.equals(topology.master(slot))) {
                topology = topology.moved(slot, endpoint);
            }
        }
        refresh();
    }

    /** Has the picture read again, unless that is under way or was done a moment ago. */
    void refresh() {
        if (!cluster || System.nanoTime() - refreshedNanos
                < TimeUnit.MILLISECONDS.toNanos(REFRESH_PAUSE_MS)) {
            return;
        }
        if (refreshing.compareAndSet(false, true)) {
            background.run(() -> read().onComplete(done -> {
                refreshedNanos = System.nanoTime();
                refreshing.set(false);
            }));
        }
    }

    /** Reads the picture from the first node that answers. A single Redis has none to read. */
    Future<Void> read() {
        if (!cluster) {
            return Future.succeededFuture();
        }
        List<String> candidates = new ArrayList<>(topology.nodes());
        Collections.shuffle(candidates);
        for (String seed : connector.seeds()) {
            if (!candidates.contains(seed)) {
                candidates.add(seed);
            }
        }
        return ask(candidates, 0);
    }

    private Future<Void> ask(List<String> candidates, int next) {
        if (next == candidates.size()) {
            return Future.failedFuture(new RedisFailure(OutcomeClass.NOTHING_HAPPENED,
                    "no node of the cluster answers"));
        }
        String endpoint = candidates.get(next);
        Promise<Response> answer = background.context().promise();
        long timer = background.context().setTimer(ASK_TIMEOUT_MS,
                late -> answer.tryFail("no answer in time"));
        background.node(endpoint).whenReady(failure -> {
            if (failure != null) {
                answer.tryFail(failure);
            } else {
                background.node(endpoint).send(Request.cmd(Command.CLUSTER).arg("SLOTS"))
                        .onSuccess(answer::tryComplete).onFailure(answer::tryFail);
            }
        });
        return answer.future()
                .onComplete(result -> background.context().owner().cancelTimer(timer))
                .compose(slots -> accept(Topology.parse(slots, endpoint)))
                .recover(failure -> ask(candidates, next + 1));
    }

    private Future<Void> accept(Topology read) {
        if (read.masters().isEmpty()) {
            return Future.failedFuture("the node knows no masters");
        }
        synchronized (this) {
            if (!read.masters().equals(topology.masters())) {
                LOG.infof("Masters of the Redis Cluster: %s", read.masters());
            }
            topology = read;
        }
        return Future.succeededFuture();
    }
}
