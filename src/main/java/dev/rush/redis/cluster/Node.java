package dev.rush.redis.cluster;

import dev.rush.redis.OutcomeClass;
import dev.rush.redis.Partition;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.Script;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.impl.ContextInternal;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's connection to one Redis node. It opens at the first call, loads all scripts and
 * reads the node's clock before it serves, and reconnects automatically. One deadline covers all of
 * that, so a node that hangs is treated like one that is down. Confined to its event loop.
 */
public class Node {

    private static final Logger LOG = Logger.getLogger(Node.class);
    /** How long calls fail at once after a failed attempt to connect. */
    private static final long BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Endpoint endpoint;
    private final ContextInternal context;
    private final Connector connector;
    private final List<Script> scripts;
    private final long connectMs;
    private final int waitingMax;
    private final RedisClock clock = new RedisClock();
    private final List<Handler<RedisFailure>> waiting = new ArrayList<>();

    private @Nullable Redis client;
    private @Nullable Link link;
    private boolean connecting;
    private long backoffUntilNanos = System.nanoTime();
    private String lastFailure = "";
    private int generation;

    /** An open connection, and the state of its replies. */
    private static final class Link {
        private final RedisConnection connection;
        private final Map<Partition, CheckIn> checkIns = new HashMap<>();
        private int unanswered;
        private long progressNanos;

        Link(RedisConnection connection) {
            this.connection = connection;
        }
    }

    /**
     * Creates a node, not yet connected.
     *
     * @param connectMs  time limit for opening a connection
     * @param waitingMax maximum number of calls that wait until it is open
     */
    Node(Endpoint endpoint, ContextInternal context, Connector connector, List<Script> scripts,
            long connectMs, int waitingMax) {
        this.endpoint = endpoint;
        this.context = context;
        this.connector = connector;
        this.scripts = scripts;
        this.connectMs = connectMs;
        this.waitingMax = waitingMax;
    }

    final Endpoint endpoint() {
        return endpoint;
    }

    final ContextInternal context() {
        return context;
    }

    /** Maximum number of waiting calls. */
    final int waitingMax() {
        return waitingMax;
    }

    /** This node's clock as observed by this event loop. Valid once the node is connected. */
    public RedisClock clock() {
        return clock;
    }

    boolean isConnected() {
        return link != null;
    }

    /** Calls back with null once calls can be sent, or with the reason why they cannot. */
    void whenReady(Handler<RedisFailure> ready) {
        if (link != null) {
            ready.handle(null);
            return;
        }
        if (!connecting && System.nanoTime() - backoffUntilNanos < 0) {
            ready.handle(refused(lastFailure));
            return;
        }
        if (waiting.size() >= waitingMax) {
            ready.handle(refused("has too many calls waiting"));
            return;
        }
        waiting.add(ready);
        if (!connecting) {
            connect();
        }
    }

    /**
     * Sends a call over the open connection; fails with a {@link RedisFailure} or, for a
     * redirection or a missing script, with the error reply itself.
     */
    public Future<Response> send(Request request) {
        Link open = link;
        if (open == null) {
            return Future.failedFuture(refused("not connected"));
        }
        if (open.unanswered++ == 0) {
            open.progressNanos = System.nanoTime();
        }
        return open.connection.send(request).onComplete(result -> {
            open.unanswered--;
            open.progressNanos = System.nanoTime();
        });
    }

    /** The open connection's check-in at a partition; null if there is none. */
    public @Nullable CheckIn checkIn(Partition partition) {
        return link == null ? null : link.checkIns.get(partition);
    }

    /** Stores a check-in for as long as the connection is open. */
    public void checkIn(Partition partition, CheckIn next) {
        if (link != null) {
            link.checkIns.put(partition, next);
        }
    }

    /** Ends all check-ins, because the node is not the master of a slot or may not have been. */
    void endCheckIns() {
        if (link != null) {
            link.checkIns.clear();
        }
    }

    /** Reads the clock again, together with the next call. */
    void readClock() {
        long sent = System.nanoTime();
        send(Request.cmd(Command.TIME)).onSuccess(time -> observe(time, sent));
    }

    private void observe(Response time, long sentNanos) {
        clock.observe(time.get(0).toLong() * 1000 + time.get(1).toLong() / 1000, sentNanos);
    }

    /** Whether calls wait for replies and none has come for a given time. */
    boolean isStuck(long nanos) {
        return link != null && link.unanswered > 0
                && System.nanoTime() - link.progressNanos > nanos;
    }

    /** Whether calls wait for replies. */
    boolean isBusy() {
        return link != null && link.unanswered > 0;
    }

    /**
     * Closes the connection: calls that wait for a reply fail as unknown, and calls that wait for
     * the connection as not sent. The next call reopens it.
     */
    void drop(String reason) {
        if (client != null) {
            LOG.warnf("Closing the connection to Redis %s: %s", endpoint, reason);
        }
        release(reason);
    }

    /** Abandons a connection attempt. */
    void giveUpConnecting(String reason) {
        if (connecting) {
            release(reason);
        }
    }

    /** Closes the connection without logging, because the node has left the cluster. */
    void close() {
        release("no longer part of the cluster");
    }

    private void connect() {
        connecting = true;
        int attempt = ++generation;
        long timer = context.setTimer(connectMs, late -> failed(attempt,
                "does not answer within " + connectMs + " ms"));
        Future<RedisConnection> connected;
        try {
            client = connector.client(endpoint);
            connected = client.connect()
                    .compose(opened -> introduce(opened).map(opened));
        } catch (RuntimeException e) {
            connected = Future.failedFuture(e);
        }
        connected.onComplete(result -> {
            context.owner().cancelTimer(timer);
            if (result.failed()) {
                failed(attempt, Causes.of(result.cause()));
            } else if (attempt == generation) {
                opened(result.result(), attempt);
            }
        });
    }

    private void failed(int attempt, String reason) {
        if (attempt == generation && connecting) {
            LOG.debugf("No connection to Redis %s: %s", endpoint, reason);
            lastFailure = reason;
            backoffUntilNanos = System.nanoTime() + BACKOFF_NANOS;
            release(reason);
        }
    }

    private void opened(RedisConnection opened, int attempt) {
        connecting = false;
        link = new Link(opened);
        opened.endHandler(end -> lost(attempt));
        opened.exceptionHandler(error -> lost(attempt));
        complete(null);
    }

    private void lost(int attempt) {
        if (attempt == generation && link != null) {
            LOG.infof("Lost the connection to Redis %s", endpoint);
            release("connection lost");
        }
    }

    private void release(String reason) {
        generation++;
        connecting = false;
        link = null;
        Redis closing = client;
        client = null;
        // A stopping event loop closes its connections itself, and logs explicit closes as errors.
        if (closing != null && !context.nettyEventLoop().isShuttingDown()) {
            closing.close();
        }
        complete(refused(reason));
    }

    /** Reads the clock and loads the scripts, in one round trip, before anything else is sent. */
    private Future<Void> introduce(RedisConnection opened) {
        // Until the node is ready, failed replies show a lost connection; Vert.x would log it too.
        opened.exceptionHandler(error -> { });
        clock.reset();
        long sent = System.nanoTime();
        List<Future<?>> replies = new ArrayList<>();
        replies.add(opened.send(Request.cmd(Command.TIME)).onSuccess(time -> observe(time, sent)));
        for (Script script : scripts) {
            replies.add(opened.send(Request.cmd(Command.SCRIPT).arg("LOAD").arg(script.sent())));
        }
        Promise<Void> done = context.promise();
        Future.all(replies).<Void>mapEmpty().onComplete(done);
        return done.future();
    }

    private void complete(@Nullable RedisFailure failure) {
        List<Handler<RedisFailure>> callbacks = new ArrayList<>(waiting);
        waiting.clear();
        runAll(callbacks, failure);
    }

    /** Runs each callback, even if others fail. */
    static void runAll(List<Handler<RedisFailure>> callbacks, @Nullable RedisFailure failure) {
        for (Handler<RedisFailure> callback : callbacks) {
            try {
                callback.handle(failure);
            } catch (RuntimeException e) {
                LOG.error("A call that waited for a connection failed", e);
            }
        }
    }

    /** The failure of a call that was not sent. */
    final RedisFailure refused(String reason) {
        return new RedisFailure(OutcomeClass.NOTHING_HAPPENED, endpoint + ": " + reason);
    }
}
