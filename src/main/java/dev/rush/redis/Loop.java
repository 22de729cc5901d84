package dev.rush.redis;

import dev.rush.RushConfig;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.impl.ContextInternal;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.types.ErrorType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What one event loop has of Redis: a connection to each node and a lane for each busy sale or
 * rain. All of it is used on this event loop only, so nothing here is locked.
 */
final class Loop {

    private static final int REDIRECTS_MAX = 5;
    private static final long SWEEP_MS = 20;

    private final ContextInternal context;
    private final Router router;
    private final long stuckNanos;
    private final Map<String, Node> nodes = new HashMap<>();
    private final Map<Object, Lane> lanes = new HashMap<>();
    private boolean sweeping;

    Loop(ContextInternal context, Router router, RushConfig config) {
        this.context = context;
        this.router = router;
        this.stuckNanos = config.deadline().toNanos();
    }

    ContextInternal context() {
        return context;
    }

    /** Runs on this event loop: now if the caller is on it, else as soon as it comes to it. */
    void run(Runnable task) {
        if (context.inThread() && ContextInternal.current() != null) {
            task.run();
        } else {
            context.runOnContext(ignored -> task.run());
        }
    }

    Node node(String endpoint) {
        return nodes.computeIfAbsent(endpoint, name -> router.node(name, context));
    }

    /** The node that owns a slot, or null when none is known. */
    Node master(int slot) {
        String endpoint = router.topology().master(slot);
        return endpoint == null ? null : node(endpoint);
    }

    /** The lane of a target, made when it is first needed and forgotten once idle. */
    Lane lane(BatchTarget target, Batcher batcher) {
        Lane lane = lanes.get(target);
        if (lane == null) {
            lane = new Lane(this, target, batcher);
            lanes.put(target, lane);
        }
        return lane;
    }

    /**
     * Sends a call to the master of a slot. Redirections and unknown scripts are followed at once;
     * all else fails with a {@link RedisFailure}.
     */
    Future<Response> execute(int slot, Call call) {
        Promise<Response> promise = context.promise();
        Node node = master(slot);
        if (node == null) {
            router.refresh();
            promise.fail(new RedisFailure(OutcomeClass.NOTHING_HAPPENED, "no master known"));
        } else {
            attempt(new Route(slot, node, false, false, REDIRECTS_MAX), call, promise);
        }
        startSweeping();
        return promise.future();
    }

    /** Sends a call to one node as it is, wherever its keys belong. */
    Future<Response> executeOn(String endpoint, Call call) {
        Promise<Response> promise = context.promise();
        attempt(new Route(-1, node(endpoint), false, false, 0), call, promise);
        startSweeping();
        return promise.future();
    }

    private record Route(int slot, Node node, boolean asking, boolean asText, int redirects) {
    }

    private void attempt(Route route, Call call, Promise<Response> promise) {
        route.node.whenReady(failure -> {
            if (failure != null) {
                router.refresh();
                promise.fail(failure);
                return;
            }
            if (route.asking) {
                route.node.send(Request.cmd(Command.ASKING));
            }
            route.node.send(call.request(route.node, route.asText)).onComplete(result -> {
                if (result.succeeded()) {
                    promise.complete(result.result());
                } else {
                    failed(route, call, promise, result.cause());
                }
            });
        });
    }

    private void failed(Route route, Call call, Promise<Response> promise, Throwable cause) {
        if (cause instanceof ErrorType error && route.redirects > 0) {
            switch (ErrorReplies.code(error.getMessage())) {
                case "NOSCRIPT" -> {
                    attempt(new Route(route.slot, route.node, route.asking, true,
                            route.redirects - 1), call, promise);
                    return;
                }
                case "MOVED" -> {
                    String endpoint = redirection(error, route.node);
                    router.moved(route.slot, endpoint);
                    attempt(new Route(route.slot, node(endpoint), false, route.asText,
                            route.redirects - 1), call, promise);
                    return;
                }
                case "ASK" -> {
                    attempt(new Route(route.slot, node(redirection(error, route.node)), true,
                            route.asText, route.redirects - 1), call, promise);
                    return;
                }
                default -> {
                    // Every other error is the caller's to judge.
                }
            }
        }
        router.refresh();
        promise.fail(ErrorReplies.classify(cause));
    }

    /** The {@code host:port} of "MOVED slot host:port"; an empty host is the host just asked. */
    private static String redirection(ErrorType error, Node asked) {
        String[] words = error.getMessage().split(" ");
        String endpoint = words[2];
        if (endpoint.startsWith(":")) {
            String host = asked.endpoint();
            endpoint = host.substring(0, host.lastIndexOf(':')) + endpoint;
        }
        return endpoint;
    }

    /** Looks after deadlines and dead connections while anything is under way. */
    void startSweeping() {
        if (!sweeping) {
            sweeping = true;
            context.setTimer(SWEEP_MS, ignored -> sweep());
        }
    }

    private void sweep() {
        long now = System.nanoTime();
        boolean busy = false;
        for (Lane lane : new ArrayList<>(lanes.values())) {
            lane.expire(now);
            busy |= !lane.isIdle();
        }
        lanes.values().removeIf(lane -> lane.isForgotten(now));
        for (Node node : List.copyOf(nodes.values())) {
            if (node.isStuck(stuckNanos)) {
                node.drop("no reply within the deadline");
                router.refresh();
            }
            busy |= node.isBusy();
        }
        sweeping = false;
        if (busy || !lanes.isEmpty()) {
            startSweeping();
        }
    }

    /** Makes the request of a call; called again for each attempt. */
    @FunctionalInterface
    interface Call {

        /**
         * The request to send now.
         *
         * @param node   to which it goes, for its clock
         * @param asText whether the node does not know the script, so that its text must be sent
         */
        Request request(Node node, boolean asText);
    }
}
