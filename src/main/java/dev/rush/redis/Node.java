package dev.rush.redis;

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
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * One event loop's connection to one Redis node. It opens at the first call, loads all scripts
 * and reads the node's clock before it serves, and opens again by itself after a loss. Everything
 * runs on its event loop.
 */
final class Node {

    private static final Logger LOG = Logger.getLogger(Node.class);
    /** After a failed connect, calls fail at once for so long instead of knocking again. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final String endpoint;
    private final ContextInternal context;
    private final Connector connector;
    private final List<Script> scripts;
    private final RedisClock clock = new RedisClock();
    private final List<Handler<RedisFailure>> waiting = new ArrayList<>();

    private Redis client;
    private RedisConnection connection;
    private boolean connecting;
    private long pausedUntilNanos = System.nanoTime();
    private int generation;
    private int unanswered;
    private long progressNanos;

    Node(String endpoint, ContextInternal context, Connector connector, List<Script> scripts) {
        this.endpoint = endpoint;
        this.context = context;
        this.connector = connector;
        this.scripts = scripts;
    }

    String endpoint() {
        return endpoint;
    }

    /** This node's clock as this event loop knows it. Valid once the node is connected. */
    RedisClock clock() {
        return clock;
    }

    boolean isConnected() {
        return connection != null;
    }

    /** Calls back with null once calls can be sent, or with the reason why they cannot. */
    void whenReady(Handler<RedisFailure> ready) {
        if (connection != null) {
            ready.handle(null);
            return;
        }
        if (!connecting && System.nanoTime() - pausedUntilNanos < 0) {
            ready.handle(refused("not reachable"));
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
    Future<Response> send(Request request) {
        RedisConnection open = connection;
        if (open == null) {
            return Future.failedFuture(refused("not connected"));
        }
        if (unanswered++ == 0) {
            progressNanos = System.nanoTime();
        }
        return open.send(request).onComplete(result -> {
            unanswered--;
            progressNanos = System.nanoTime();
        });
    }

    /** Whether calls wait for replies and none has come for so long. */
    boolean isStuck(long nanos) {
        return connection != null && unanswered > 0
                && System.nanoTime() - progressNanos > nanos;
    }

    /** Whether calls wait for replies. */
    boolean isBusy() {
        return unanswered > 0;
    }

    /** Ends the connection: what waits for a reply fails as unknown. The next call opens anew. */
    void drop(String reason) {
        if (client != null) {
            LOG.warnf("Closing the connection to Redis %s: %s", endpoint, reason);
        }
        release();
    }

    private void connect() {
        connecting = true;
        int attempt = ++generation;
        client = connector.client(endpoint);
        client.connect()
                .compose(opened -> introduce(opened).map(opened))
                .onComplete(result -> {
                    if (attempt != generation) {
                        return;
                    }
                    connecting = false;
                    if (result.failed()) {
                        LOG.debugf("No connection to Redis %s: %s", endpoint, result.cause());
                        release();
                        pausedUntilNanos = System.nanoTime() + PAUSE_NANOS;
                        settle(refused("not reachable"));
                    } else {
                        opened(result.result(), attempt);
                    }
                });
    }

    private void opened(RedisConnection opened, int attempt) {
        connection = opened;
        opened.endHandler(end -> lost(attempt));
        opened.exceptionHandler(error -> lost(attempt));
        settle(null);
    }

    private void lost(int attempt) {
        if (attempt == generation && connection != null) {
            LOG.infof("Lost the connection to Redis %s", endpoint);
            release();
        }
    }

    private void release() {
        generation++;
        connecting = false;
        connection = null;
        Redis closing = client;
        client = null;
        if (closing != null) {
            closing.close();
        }
        settle(refused("connection closed"));
    }

    /** Reads the clock and loads the scripts, in one round trip, before anything else is sent. */
    private Future<Void> introduce(RedisConnection opened) {
        clock.reset();
        List<Future<?>> replies = new ArrayList<>();
        replies.add(opened.send(Request.cmd(Command.TIME)).onSuccess(time -> clock.observe(
                time.get(0).toLong() * 1000 + time.get(1).toLong() / 1000)));
        for (Script script : scripts) {
            replies.add(opened.send(Request.cmd(Command.SCRIPT).arg("LOAD").arg(script.text())));
        }
        Promise<Void> done = context.promise();
        long timer = context.setTimer(1000, late -> done.tryFail("no answer within 1 s"));
        Future.all(replies).<Void>mapEmpty().onComplete(result -> {
            context.owner().cancelTimer(timer);
            if (result.failed()) {
                done.tryFail(result.cause());
            } else {
                done.tryComplete();
            }
        });
        return done.future();
    }

    private void settle(RedisFailure failure) {
        List<Handler<RedisFailure>> callbacks = new ArrayList<>(waiting);
        waiting.clear();
        for (Handler<RedisFailure> callback : callbacks) {
            callback.handle(failure);
        }
    }

    private RedisFailure refused(String reason) {
        return new RedisFailure(OutcomeClass.NOTHING_HAPPENED, endpoint + " " + reason);
    }
}
