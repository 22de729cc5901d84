package dev.rush.redis;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The requests of one event loop that may share script calls. A request goes with the next call;
 * a call leaves at the end of the event loop's turn when fewer than the allowed number are under
 * way. A call that certainly did not run is taken up again, within each request's own deadline.
 */
final class Lane {

    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** How a reply begins whose request took a step of the partition's sequence. */
    private static final String ACCEPTED = "accepted ";
    private static final long BACKOFF_FIRST_MS = 20;
    private static final long BACKOFF_MAX_MS = 200;

    private final Loop loop;
    private final BatchTarget target;
    private final Batcher batcher;
    private final ArrayDeque<Pending> queue = new ArrayDeque<>();
    private final List<Batch> sent = new ArrayList<>();
    private boolean flushing;
    private long backoffMs = BACKOFF_FIRST_MS;
    private boolean backingOff;
    private long usedNanos = System.nanoTime();

    Lane(Loop loop, BatchTarget target, Batcher batcher) {
        this.loop = loop;
        this.target = target;
        this.batcher = batcher;
    }

    /** One request and its answer to come. */
    static final class Pending {
        private final String[] args;
        private final long deadlineNanos;
        private final CompletableFuture<String> answer;

        Pending(String[] args, long deadlineNanos, CompletableFuture<String> answer) {
            this.args = args;
            this.deadlineNanos = deadlineNanos;
            this.answer = answer;
        }

        private boolean isDue(long now) {
            return deadlineNanos - now <= 0;
        }

        private void fail(OutcomeClass outcomeClass, String reason) {
            answer.completeExceptionally(new RedisFailure(outcomeClass, reason));
        }
    }

    /** Requests that share one script call. */
    private static final class Batch {
        private final List<Pending> requests;
        private boolean written;

        Batch(List<Pending> requests) {
            this.requests = requests;
        }
    }

    void submit(Pending pending) {
        usedNanos = System.nanoTime();
        if (queue.size() >= batcher.queueMax()) {
            pending.fail(OutcomeClass.NOTHING_HAPPENED, "queue is full");
            return;
        }
        queue.add(pending);
        batcher.queued(1);
        flushSoon();
        loop.startSweeping();
    }

    boolean isIdle() {
        return queue.isEmpty() && sent.isEmpty();
    }

    boolean isForgotten(long now) {
        return isIdle() && now - usedNanos > FORGET_NANOS;
    }

    /** Answers every request whose deadline has passed with what is known of it. */
    void expire(long now) {
        while (!queue.isEmpty() && queue.peek().isDue(now)) {
            batcher.queued(-1);
            queue.poll().fail(OutcomeClass.NOTHING_HAPPENED, "not sent by the deadline");
        }
        for (Batch batch : sent) {
            for (Pending pending : batch.requests) {
                if (pending.isDue(now) && !pending.answer.isDone()) {
                    pending.fail(batch.written ? OutcomeClass.UNKNOWN
                            : OutcomeClass.NOTHING_HAPPENED, "no reply by the deadline");
                }
            }
        }
    }

    private void flushSoon() {
        if (!flushing && !backingOff && sent.size() < batcher.inFlightMax()) {
            flushing = true;
            loop.context().runOnContext(ignored -> flush());
        }
    }

    private void flush() {
        flushing = false;
        while (!queue.isEmpty() && !backingOff && sent.size() < batcher.inFlightMax()) {
            List<Pending> requests = new ArrayList<>(Math.min(queue.size(), batcher.sizeMax()));
            while (!queue.isEmpty() && requests.size() < batcher.sizeMax()) {
                requests.add(queue.poll());
            }
            batcher.queued(-requests.size());
            send(new Batch(requests));
        }
    }

    private void send(Batch batch) {
        batcher.batched(batch.requests.size());
        sent.add(batch);
        long sequenceBefore = batcher.sequences().seen(target.partition());
        loop.execute(target.partition().slot(), (node, asText) -> request(batch, node, asText))
                .onComplete(result -> {
                    sent.remove(batch);
                    if (result.succeeded()) {
                        answered(batch.requests, result.result(), sequenceBefore);
                    } else {
                        failed(batch.requests, (RedisFailure) result.cause());
                    }
                    flushSoon();
                });
    }

    private Request request(Batch batch, Node node, boolean asText) {
        Request request = asText
                ? Request.cmd(Command.EVAL).arg(target.script().text())
                : Request.cmd(Command.EVALSHA).arg(target.script().sha1());
        request.arg(target.keys().size());
        target.keys().forEach(request::arg);
        target.head().forEach(request::arg);
        // Who was answered while the node was out of reach must not buy after all. Should nobody be
        // left, the call carries no request and does nothing.
        batch.requests.removeIf(pending -> pending.answer.isDone());
        batch.written = true;
        for (Pending pending : batch.requests) {
            request.arg(node.clock().toRedisMillis(pending.deadlineNanos));
            for (String arg : pending.args) {
                request.arg(arg);
            }
        }
        return request;
    }

    private void answered(List<Pending> batch, Response reply, long sequenceBefore) {
        backoffMs = BACKOFF_FIRST_MS;
        Node node = loop.master(target.partition().slot());
        if (node != null) {
            node.clock().observe(reply.get(0).toLong());
        }
        int accepted = 0;
        for (int i = 0; i < batch.size(); i++) {
            String word = reply.get(i + 2).toString();
            accepted += word.startsWith(ACCEPTED) ? 1 : 0;
            batch.get(i).answer.complete(word);
        }
        batcher.sequences().observe(target.partition(), sequenceBefore, reply.get(1).toLong(),
                accepted, reply.get(0).toLong());
    }

    private void failed(List<Pending> batch, RedisFailure failure) {
        if (failure.outcomeClass() != OutcomeClass.NOTHING_HAPPENED) {
            batch.forEach(pending -> pending.answer.completeExceptionally(failure));
            return;
        }
        for (int i = batch.size() - 1; i >= 0; i--) {
            Pending pending = batch.get(i);
            if (!pending.answer.isDone()) {
                queue.addFirst(pending);
                batcher.queued(1);
            }
        }
        if (!backingOff) {
            backingOff = true;
            loop.context().setTimer(backoffMs, ignored -> {
                backingOff = false;
                flushSoon();
            });
            backoffMs = Math.min(2 * backoffMs, BACKOFF_MAX_MS);
        }
    }
}
