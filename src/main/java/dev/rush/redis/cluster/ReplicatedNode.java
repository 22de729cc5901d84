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

/**
 * One event loop's connection to one master for calls that end once the replicas have what they
 * wrote. It is a connection of its own, because WAIT blocks it. Calls go in rounds: all that wait
 * when a round begins are sent, and one WAIT right behind them, which covers the connection's last
 * write and hence all of them. What comes meanwhile stays here, unsent, for the next round.
 *
 * <p>A WAIT counts for the calls sent before it over the same connection only, so what a master
 * wrote is never taken for confirmed by another one, or by itself after a restart. Where fewer
 * replicas than asked confirmed the last round, or a moment has passed since, the next one begins
 * only after they are found in step.
 */
final class ReplicatedNode extends Node {

    /** Calls of one round. Each event loop has a few calls per sale under way, so more is rare. */
    private static final int CALLS_MAX = 64;
    /** How long replicas have to be found in step before a round. */
    private static final long PROBE_MS = 50;
    /** For so long after a round replicas are taken to be in step. */
    private static final long IN_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Waits waits;
    private final long waitMs;
    private final ArrayDeque<Handler<RedisFailure>> queue = new ArrayDeque<>();
    /** The round that takes calls now, or null. */
    private Round open;
    /** Whether a round is about to begin or under way. */
    private boolean busy;
    private boolean inStep;
    private long inStepNanos;

    /**
     * What calls wait for.
     *
     * @param asked      how many replicas, or {@link Replication#UNKNOWN}
     * @param stuckNanos a WAIT ends well before that
     */
    record Waits(Replication replication, IntSupplier asked, long stuckNanos) {
    }

    /** A node, not yet connected. */
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

    /** A call that ran, and who waits for its replicas. */
    private record Replied(Promise<Response> promise, Response reply) {
    }

    /** Calls back with null once a round has begun: the call has to be sent at once then. */
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
     * Sends a call of the round that has just begun. The reply comes once the replicas have what
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
            int asked = waits.asked.getAsInt();
            if (failure != null) {
                end(failure);
            } else if (asked == Replication.UNKNOWN) {
                end(refused("it is not known how many replicas it has"));
            } else if (inStep && System.nanoTime() - inStepNanos < IN_STEP_NANOS) {
                run(asked);
            } else {
                probe(asked);
            }
        });
    }

    /** Begins a round if the replicas have what this connection wrote before. */
    private void probe(int asked) {
        await(asked, PROBE_MS).onComplete(count -> {
            if (count.failed()) {
                end(refused(Causes.of(count.cause())));
            } else if (count.result() < asked) {
                end(new RedisFailure(OutcomeClass.NOTHING_HAPPENED, endpoint() + ": "
                        + count.result() + " of " + asked + " replicas are in step", true));
            } else {
                run(asked);
            }
        });
    }

    private void run(int asked) {
        Round round = new Round();
        open = round;
        while (!queue.isEmpty() && round.sent < CALLS_MAX) {
            tell(List.of(queue.poll()), null);
        }
        open = null;
        if (round.sent == 0) {
            end(null);
            return;
        }
        long began = System.nanoTime();
        await(asked, waitMs).onComplete(count -> ended(round, asked, began, count));
    }

    private Future<Integer> await(int asked, long milliseconds) {
        return super.send(Request.cmd(Command.WAIT).arg(asked).arg(milliseconds))
                .map(Response::toInteger);
    }

    private void ended(Round round, int asked, long began, AsyncResult<Integer> count) {
        inStep = count.succeeded() && count.result() >= asked;
        inStepNanos = System.nanoTime();
        waits.replication.waited(inStepNanos - began, inStep);
        String reason = endpoint() + ": " + (count.failed() ? Causes.of(count.cause())
                : count.result() + " of " + asked + " replicas confirmed");
        for (Replied call : round.replied) {
            if (inStep) {
                call.promise.complete(call.reply);
            } else {
                call.promise.fail(RedisFailure.unreplicated(reason, call.reply));
            }
        }
        end(null);
    }

    /** Makes room for the next round, once whoever waits is told of a failure, if there is one. */
    private void end(RedisFailure failure) {
        busy = false;
        if (failure != null) {
            refuse(failure);
        }
        begin();
    }

    private void refuse(RedisFailure failure) {
        List<Handler<RedisFailure>> refused = new ArrayList<>(queue);
        queue.clear();
        tell(refused, failure);
    }
}
