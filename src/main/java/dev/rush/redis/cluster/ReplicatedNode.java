package dev.rush.redis.cluster;

import dev.rush.redis.OutcomeClass;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.Script;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.impl.ContextInternal;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's connection to one master for calls that end once the replicas have what they
 * wrote. It is a separate connection, because WAIT blocks it. Calls are sent in rounds: all that
 * are waiting when a round begins, followed by one WAIT, which covers the connection's last write
 * and hence all of them. Later calls stay here, unsent, until the next round.
 *
 * <p>A WAIT covers only the calls sent before it over the same connection, so another master, or
 * the same one after a restart, can never confirm them. If too few replicas confirmed the last
 * round, or it was a while ago, the next round begins only after a probe has found them in step.
 */
final class ReplicatedNode extends Node {

    /**
     * Maximum number of calls per round. Each event loop has only a few calls per sale in flight,
     * so more is rare.
     */
    private static final int CALLS_MAX = 64;
    /** Time limit of the probe before a round. */
    private static final long PROBE_MS = 50;
    /** How long after a round replicas are assumed to be in step. */
    private static final long IN_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Waits waits;
    private final long waitMs;
    private final ArrayDeque<Handler<RedisFailure>> queue = new ArrayDeque<>();
    /** The round that takes calls now, or null. */
    private @Nullable Round open;
    /** Whether a round is about to begin or running. */
    private boolean busy;
    private boolean inStep;
    private long inStepNanos;

    /**
     * What calls wait for.
     *
     * @param required   the required number of replicas, or {@link Replication#UNKNOWN}
     * @param stuckNanos a WAIT ends well before that
     */
    record Waits(Replication replication, IntSupplier required, long stuckNanos) {
    }

    /** Creates a node, not yet connected. */
    ReplicatedNode(Endpoint endpoint, ContextInternal context, Connector connector,
            List<Script> scripts, long connectMs, int waitingMax, Waits waits) {
        super(endpoint, context, connector, scripts, connectMs, waitingMax);
        this.waits = waits;
        this.waitMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(waits.stuckNanos) * 3 / 4);
    }

    /** Calls that share one WAIT. */
    private static final class Round {
        private final List<Replied> replied = new ArrayList<>();
        private int sent;
    }

    /** A call that ran, and its waiting caller. */
    private record Replied(Promise<Response> promise, Response reply) {
    }

    /** Calls back with null once a round has begun: then the call must be sent at once. */
    @Override
    void whenReady(Handler<RedisFailure> ready) {
        if (queue.size() >= waitingMax()) {
            ready.handle(refused("has too many calls waiting"));
            return;
        }
        queue.add(ready);
        begin();
    }

    /**
     * Sends a call of the round that has just begun. The reply arrives once the replicas have what
     * the call wrote; if too few do, it is part of the failure ({@link RedisFailure#reply}).
     */
    @Override
    public Future<Response> send(Request request) {
        Round round = open;
        if (round == null) {
            return Future.failedFuture(refused("no round has begun"));
        }
        round.sent++;
        Promise<Response> promise = context().promise();
        super.send(request).onComplete(result -> {
            if (result.succeeded()) {
                round.replied.add(new Replied(promise, result.result()));
            } else {
                promise.fail(result.cause());
            }
        });
        return promise.future();
    }

    @Override
    void giveUpConnecting(String reason) {
        super.giveUpConnecting(reason);
        refuse(refused(reason));
    }

    private void begin() {
        if (busy || queue.isEmpty()) {
            return;
        }
        busy = true;
        super.whenReady(failure -> {
            int required = waits.required.getAsInt();
            if (failure != null) {
                end(failure);
            } else if (required == Replication.UNKNOWN) {
                end(refused("its number of replicas is unknown"));
            } else if (inStep && System.nanoTime() - inStepNanos < IN_STEP_NANOS) {
                run(required);
            } else {
                probe(required);
            }
        });
    }

    /** Begins a round if the replicas have what this connection wrote before. */
    private void probe(int required) {
        await(required, PROBE_MS).onComplete(count -> {
            if (count.failed()) {
                end(refused(Causes.of(count.cause())));
            } else if (count.result() < required) {
                end(new RedisFailure(OutcomeClass.NOTHING_HAPPENED, endpoint() + ": "
                        + count.result() + " of " + required + " replicas are in step", true));
            } else {
                run(required);
            }
        });
    }

    private void run(int required) {
        Round round = new Round();
        open = round;
        while (!queue.isEmpty() && round.sent < CALLS_MAX) {
            runAll(List.of(queue.poll()), null);
        }
        open = null;
        if (round.sent == 0) {
            end(null);
            return;
        }
        long began = System.nanoTime();
        await(required, waitMs).onComplete(count -> ended(round, required, began, count));
    }

    private Future<Integer> await(int required, long milliseconds) {
        return super.send(Request.cmd(Command.WAIT).arg(required).arg(milliseconds))
                .map(Response::toInteger);
    }

    private void ended(Round round, int required, long began, AsyncResult<Integer> count) {
        inStep = count.succeeded() && count.result() >= required;
        inStepNanos = System.nanoTime();
        waits.replication.waited(inStepNanos - began, inStep);
        String reason = endpoint() + ": " + (count.failed() ? Causes.of(count.cause())
                : count.result() + " of " + required + " replicas confirmed");
        for (Replied call : round.replied) {
            if (inStep) {
                call.promise.complete(call.reply);
            } else {
                call.promise.fail(RedisFailure.unreplicated(reason, call.reply));
            }
        }
        end(null);
    }

    /** Ends the round, after reporting a failure to waiting callers, if there is one. */
    private void end(@Nullable RedisFailure failure) {
        busy = false;
        if (failure != null) {
            refuse(failure);
        }
        begin();
    }

    private void refuse(RedisFailure failure) {
        List<Handler<RedisFailure>> refused = new ArrayList<>(queue);
        queue.clear();
        runAll(refused, failure);
    }
}
