package dev.rush.redis.cluster;

import dev.rush.RushConfig;
import dev.rush.redis.Layout;
import dev.rush.redis.OutcomeClass;
import dev.rush.redis.RedisFailure;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's client of Redis: its connections, and the routing of calls over them. Confined
 * to this event loop and hence without locks, which assertions check in tests. Only {@link #run}
 * may be called from any thread.
 */
public final class EventLoopClient {

    private static final Logger LOG = Logger.getLogger(EventLoopClient.class);
    private static final int REDIRECTS_MAX = 5;
    private static final long SWEEP_MS = 20;
    /** A sweep that is later than this follows a pause of this pod. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(5 * SWEEP_MS);
    private static final long LOG_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ContextInternal context;
    private final SlotMap slots;
    private final long stuckNanos;
    private final Nodes nodes;
    /** Separate connections for calls that wait for replicas. */
    private final Nodes replicated;
    private final List<LongPredicate> sweeps = new ArrayList<>();
    private boolean sweeping;
    private boolean postponed;
    private long sweepDueNanos = System.nanoTime();
    private int calls;
    private long nextLogNanos = System.nanoTime();

    EventLoopClient(
            ContextInternal context, SlotMap slots, NodeFactory factory, RushConfig config) {
        this.context = context;
        this.slots = slots;
        this.stuckNanos = Math.min(config.deadline().toNanos(),
                config.redis().silence().toNanos());
        this.nodes = new Nodes(endpoint -> factory.node(endpoint, context));
        this.replicated = new Nodes(
                endpoint -> factory.replicatedNode(endpoint, context, stuckNanos));
    }

    /**
     * The context of this event loop. It is Vert.x's internal type, because the public one can
     * neither tell whether the caller is on its thread, nor start a timer there from another
     * thread, nor make futures that complete there in the same turn.
     */
    public ContextInternal context() {
        return context;
    }

    /** Runs a task on this event loop: now if the caller is on it, else as soon as possible. */
    public void run(Runnable task) {
        if (context.inThread() && Vertx.currentContext() != null) {
            task.run();
        } else {
            context.runOnContext(ignored -> task.run());
        }
    }

    /** Counts a single call that begins; false if the maximum number is already in flight. */
    boolean enter(int max) {
        assert context.inThread();
        if (calls >= max) {
            return false;
        }
        calls++;
        return true;
    }

    /** Counts a single call as ended. */
    void leave() {
        assert context.inThread();
        calls--;
    }

    /** Whether calls to this node need not wait for a connection. */
    boolean isConnected(Endpoint endpoint) {
        return nodes.isConnected(endpoint);
    }

    /**
     * Sends a call to the master of a slot. Redirections and missing scripts are handled at once;
     * anything else fails with a {@link RedisFailure}. The future always completes.
     */
    public Future<Response> execute(int slot, Call call) {
        assert context.inThread();
        Promise<Response> promise = context.promise();
        call.written(false);
        Endpoint master = slots.topology().master(slot);
        if (master == null) {
            slots.refresh();
            promise.fail(new RedisFailure(OutcomeClass.NOTHING_HAPPENED, "no master known"));
        } else {
            attempt(new Route(slot, master, false, false, REDIRECTS_MAX), call, promise);
        }
        startSweeping();
        return promise.future();
    }

    /** Sends a command to one node without routing. */
    Future<Response> executeOn(Endpoint endpoint, Command command, String... args) {
        Promise<Response> promise = context.promise();
        attempt(new Route(-1, endpoint, false, false, 0), new Call() {
            @Override
            protected Request request(Node node, boolean asText) {
                Request request = Request.cmd(command);
                for (String arg : args) {
                    request.arg(arg);
                }
                return request;
            }
        }, promise);
        startSweeping();
        return promise.future();
    }

    private record Route(
            int slot, Endpoint endpoint, boolean asking, boolean asText, int redirects) {
    }

    private void attempt(Route route, Call call, Promise<Response> promise) {
        try {
            Node node = (call.isReplicated() ? replicated : nodes).get(route.endpoint);
            node.whenReady(failure -> {
                try {
                    ready(route, node, failure, call, promise);
                } catch (RuntimeException | Error e) {
                    failByDefect(call, promise, e);
                }
            });
        } catch (RuntimeException | Error e) {
            failByDefect(call, promise, e);
        }
    }

    private void ready(Route route, Node node, RedisFailure failure, Call call,
            Promise<Response> promise) {
        if (failure != null) {
            slots.refresh();
            promise.tryFail(failure);
            return;
        }
        Request request = call.request(node, route.asText);
        if (request == null) {
            promise.tryFail(new RedisFailure(
                    OutcomeClass.NOTHING_HAPPENED, "no caller waits for it any more"));
            return;
        }
        if (route.asking) {
            node.send(Request.cmd(Command.ASKING));
        }
        call.written(true);
        node.send(request).onComplete(result -> {
            try {
                if (result.succeeded()) {
                    promise.tryComplete(result.result());
                } else {
                    failed(route, node, call, promise, result.cause());
                }
            } catch (RuntimeException | Error e) {
                failByDefect(call, promise, e);
            }
        });
    }

    private void failed(Route route, Node node, Call call, Promise<Response> promise,
            Throwable cause) {
        RedisFailure failure = ErrorReplies.classify(cause);
        if (ErrorReplies.isMoved(cause)) {
            node.endCheckIns();
        }
        if (Layout.ERROR.equals(failure.getMessage())) {
            slots.unknownLayout(route.slot);
        }
        call.written(failure.outcomeClass() != OutcomeClass.NOTHING_HAPPENED);
        if (ErrorReplies.isReply(cause) && route.redirects > 0) {
            Route next = next(route, String.valueOf(cause.getMessage()));
            if (next != null) {
                attempt(next, call, promise);
                return;
            }
        }
        slots.refresh();
        promise.tryFail(failure);
    }

    /** The next route after an error reply; null if the caller must classify it. */
    private @Nullable Route next(Route route, String error) {
        int left = route.redirects - 1;
        switch (ErrorReplies.code(error)) {
            case "NOSCRIPT" -> {
                return new Route(route.slot, route.endpoint, route.asking, true, left);
            }
            case "MOVED" -> {
                Optional<Endpoint> endpoint = ErrorReplies.redirection(error, route.endpoint);
                endpoint.ifPresent(owner -> slots.moved(route.slot, owner));
                return endpoint.map(owner -> new Route(
                        route.slot, owner, false, route.asText, left)).orElse(null);
            }
            case "ASK" -> {
                return ErrorReplies.redirection(error, route.endpoint).map(owner -> new Route(
                        route.slot, owner, true, route.asText, left)).orElse(null);
            }
            default -> {
                return null;
            }
        }
    }

    /** Fails a call because of a bug in this client, with its outcome class. */
    private void failByDefect(Call call, Promise<Response> promise, Throwable defect) {
        defect("A call to Redis", defect);
        promise.tryFail(new RedisFailure(call.mayHaveRun() ? OutcomeClass.UNKNOWN
                : OutcomeClass.NOTHING_HAPPENED, defect.getClass().getSimpleName()));
    }

    /**
     * Logs a bug in this client or in Redis, at most once a second, because it may affect every
     * call.
     */
    public void defect(String what, Throwable defect) {
        long now = System.nanoTime();
        if (now - nextLogNanos >= 0) {
            nextLogNanos = now + LOG_PAUSE_NANOS;
            LOG.errorf(defect, "%s failed because of a defect", what);
        }
    }

    /**
     * Adopts a new topology: calls that wait for a connection to a former master are rerouted, and
     * nodes that have left the cluster are closed.
     */
    void adopt(Topology topology) {
        nodes.adopt(topology.masters(), topology.nodes());
        // A former master grants nothing, so no call waits for its replicas.
        replicated.adopt(topology.masters(), topology.masters());
    }

    /**
     * Calls {@code sweep} with {@link System#nanoTime()} every 20 ms, as long as any sweep returns
     * true or a call waits for its reply. A sweep that is late is postponed once, so that replies
     * that arrived during a pause are read first.
     */
    public void onSweep(LongPredicate sweep) {
        assert context.inThread();
        sweeps.add(sweep);
    }

    /** Checks deadlines and dead connections while anything is in flight. */
    public void startSweeping() {
        if (!sweeping) {
            sweepDueNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SWEEP_MS);
            context.setTimer(SWEEP_MS, ignored -> sweep());
            // Last: if the timer cannot be set, the next call tries again.
            sweeping = true;
        }
    }

    private void sweep() {
        long now = System.nanoTime();
        boolean busy = false;
        sweeping = false;
        // After a pause, replies are still unread. The event loop reads them before the next sweep.
        postponed = !postponed && now - sweepDueNanos > LATE_NANOS;
        if (postponed) {
            startSweeping();
            return;
        }
        for (LongPredicate sweep : sweeps) {
            busy |= sweep.test(now);
        }
        busy |= nodes.sweep(stuckNanos, slots::refresh);
        busy |= replicated.sweep(stuckNanos, slots::refresh);
        if (busy) {
            startSweeping();
        }
    }
}
