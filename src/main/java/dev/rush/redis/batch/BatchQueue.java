package dev.rush.redis.batch;

import dev.rush.redis.OutcomeClass;
import dev.rush.redis.RedisFailure;
import dev.rush.redis.cluster.Call;
import dev.rush.redis.cluster.CheckIn;
import dev.rush.redis.cluster.ErrorReplies;
import dev.rush.redis.cluster.EventLoopClient;
import dev.rush.redis.cluster.Node;
import dev.rush.redis.cluster.RedisClock;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one event loop that may share script calls. A request is sent with the next call;
 * a call is sent at the end of the event loop's turn if fewer than the maximum number are in
 * flight. A call that certainly did not run is retried, within each request's own deadline. Used
 * only on its event loop; other threads submit requests through {@link EventLoopClient#run}.
 */
final class BatchQueue {

    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** Prefix of replies to requests that advanced the partition's sequence. */
    private static final String ACCEPTED = "accepted ";
    /** Prefix of replies that repeat the answer of such a request. */
    private static final String REPLAYED = "replayed ";
    private static final long BACKOFF_FIRST_MS = 20;
    private static final long BACKOFF_MAX_MS = 200;

    private final EventLoopClient loop;
    private final BatchTarget target;
    private final BatchQueueLimits limits;
    private final ArrayDeque<Pending> queue = new ArrayDeque<>();
    private final List<Batch> sent = new ArrayList<>();
    private boolean flushing;
    /**
     * Lower bound of the deadlines in the queue. A retried request may be due before older ones.
     */
    private long earliestNanos;
    private long backoffMs = BACKOFF_FIRST_MS;
    private boolean backingOff;
    private long usedNanos = System.nanoTime();

    BatchQueue(EventLoopClient loop, BatchTarget target, BatchQueueLimits limits) {
        this.loop = loop;
        this.target = target;
        this.limits = limits;
    }

    /** A request and its future answer. */
    static final class Pending {
        private final String[] args;
        private final long deadlineNanos;
        private final CompletableFuture<String> answer;
        /** How often Redis has answered that it takes no writes. */
        private int lastingFailures;

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
    private final class Batch extends Call {
        private final List<Pending> requests;
        private final PartitionSequence.Mark before = limits.sequences().mark(target.partition());
        /** The clock of the node to which it was sent last, and which therefore answers. */
        private @Nullable RedisClock clock;
        private @Nullable CheckIn checkIn;
        private long sentNanos;

        Batch(List<Pending> requests) {
            this.requests = requests;
        }

        @Override
        protected @Nullable Request request(Node node, boolean asText) {
            // A request that was answered while the node was unreachable must not run later.
            requests.removeIf(pending -> pending.answer.isDone());
            if (requests.isEmpty()) {
                return null;
            }
            clock = node.clock();
            checkIn = limits.checkIns().at(target.partition(), node, asText);
            sentNanos = System.nanoTime();
            Request request = target.script().request(target.keys(), asText);
            target.head().forEach(request::arg);
            addDeadlines(request, node.clock());
            target.words(requests.stream().map(pending -> pending.args).toList(), request::arg);
            return request;
        }

        @Override
        protected boolean isReplicated() {
            return target.isReplicated();
        }

        /** Adds the earliest deadline, and all deadlines unless they are equal. */
        private void addDeadlines(Request request, RedisClock clock) {
            long[] all = requests.stream()
                    .mapToLong(pending -> clock.toRedisMillis(pending.deadlineNanos)).toArray();
            long earliest = LongStream.of(all).min().orElseThrow();
            request.arg(earliest);
            request.arg(LongStream.of(all).allMatch(deadline -> deadline == earliest) ? ""
                    : LongStream.of(all).mapToObj(Long::toString)
                            .collect(Collectors.joining(" ")));
        }
    }

    void submit(Pending pending) {
        assert loop.context().inThread();
        usedNanos = System.nanoTime();
        if (queue.size() >= limits.queueMax()) {
            pending.fail(OutcomeClass.NOTHING_HAPPENED, "queue is full");
            return;
        }
        if (queue.isEmpty() || pending.deadlineNanos - earliestNanos < 0) {
            earliestNanos = pending.deadlineNanos;
        }
        queue.add(pending);
        limits.queued(1);
        scheduleFlush();
        loop.startSweeping();
    }

    private boolean isIdle() {
        return queue.isEmpty() && sent.isEmpty();
    }

    boolean isForgotten(long now) {
        return isIdle() && now - usedNanos > FORGET_NANOS;
    }

    /** Fails every request whose deadline has passed, with its outcome class. */
    void expire(long now) {
        if (!queue.isEmpty() && now - earliestNanos >= 0) {
            expireQueued(now);
        }
        for (Batch batch : sent) {
            for (Pending pending : batch.requests) {
                if (pending.isDue(now) && !pending.answer.isDone()) {
                    pending.fail(batch.mayHaveRun() ? OutcomeClass.UNKNOWN
                            : OutcomeClass.NOTHING_HAPPENED, "no reply by the deadline");
                }
            }
        }
    }

    private void expireQueued(long now) {
        List<Pending> due = new ArrayList<>();
        long earliest = now + FORGET_NANOS;
        for (Iterator<Pending> all = queue.iterator(); all.hasNext();) {
            Pending pending = all.next();
            if (pending.isDue(now)) {
                all.remove();
                due.add(pending);
            } else if (pending.deadlineNanos - earliest < 0) {
                earliest = pending.deadlineNanos;
            }
        }
        earliestNanos = earliest;
        limits.queued(-due.size());
        // Last, because a caller may submit its next request at once.
        due.forEach(pending ->
                pending.fail(OutcomeClass.NOTHING_HAPPENED, "not sent by the deadline"));
    }

    private void scheduleFlush() {
        if (!flushing && !backingOff && sent.size() < limits.inFlightMax()) {
            loop.context().runOnContext(ignored -> flush());
            // Last: if the task cannot be queued, the next request tries again.
            flushing = true;
        }
    }

    private void flush() {
        flushing = false;
        while (!queue.isEmpty() && !backingOff && sent.size() < limits.inFlightMax()) {
            List<Pending> requests = new ArrayList<>(Math.min(queue.size(), limits.sizeMax()));
            while (!queue.isEmpty() && requests.size() < limits.sizeMax()) {
                requests.add(queue.poll());
            }
            limits.queued(-requests.size());
            send(new Batch(requests));
        }
    }

    private void send(Batch batch) {
        limits.batched(batch.requests.size());
        sent.add(batch);
        Future<Response> reply;
        try {
            reply = loop.execute(target.partition().slot(), batch);
        } catch (RuntimeException | Error e) {
            reply = Future.failedFuture(e);
        }
        reply.onComplete(result -> ended(batch, result));
    }

    /** Frees the batch's slot, and answers or retries each of its requests. */
    private void ended(Batch batch, AsyncResult<Response> result) {
        assert loop.context().inThread();
        sent.remove(batch);
        try {
            if (result.succeeded()) {
                answered(batch, result.result(), null);
            } else {
                failed(batch, ErrorReplies.classify(result.cause()));
            }
        } catch (RuntimeException | Error e) {
            loop.defect("A reply to " + target.script().name(), e);
            for (Pending pending : batch.requests) {
                pending.fail(OutcomeClass.UNKNOWN, "the reply is unreadable");
            }
        }
        scheduleFlush();
    }

    /** Answers each request; granted ones fail if the replicas may not have them. */
    private void answered(Batch batch, Response reply, @Nullable RedisFailure unreplicated) {
        backoffMs = BACKOFF_FIRST_MS;
        long redisMs = reply.get(0).toLong();
        long sequence = reply.get(1).toLong();
        CheckIn checkIn = Objects.requireNonNull(batch.checkIn);
        Objects.requireNonNull(batch.clock).observe(redisMs, batch.sentNanos);
        List<Pending> requests = batch.requests;
        int accepted = 0;
        for (int i = 0; i < requests.size(); i++) {
            String word = reply.get(i + 2).toString();
            boolean isNew = word.startsWith(ACCEPTED);
            accepted += isNew ? 1 : 0;
            if (unreplicated != null && (isNew || word.startsWith(REPLAYED))) {
                requests.get(i).answer.completeExceptionally(unreplicated);
            } else {
                requests.get(i).answer.complete(word);
            }
        }
        checkIn.replied(System.nanoTime());
        if (limits.sequences().observe(target.partition(), batch.before, checkIn.tenure(), sequence,
                accepted, redisMs)) {
            checkIn.end();
        }
    }

    private void failed(Batch batch, RedisFailure failure) {
        List<Pending> requests = batch.requests;
        if (failure.reply() != null) {
            answered(batch, failure.reply(), failure);
            return;
        }
        if (failure.outcomeClass() != OutcomeClass.NOTHING_HAPPENED) {
            requests.forEach(pending -> pending.answer.completeExceptionally(failure));
            return;
        }
        for (int i = requests.size() - 1; i >= 0; i--) {
            Pending pending = requests.get(i);
            if (failure.isLasting() && ++pending.lastingFailures >= RedisFailure.LASTING_TRIES) {
                pending.answer.completeExceptionally(failure);
            } else if (!pending.answer.isDone()) {
                if (queue.isEmpty() || pending.deadlineNanos - earliestNanos < 0) {
                    earliestNanos = pending.deadlineNanos;
                }
                queue.addFirst(pending);
                limits.queued(1);
            }
        }
        if (!backingOff) {
            backingOff = true;
            loop.context().setTimer(backoffMs, ignored -> {
                backingOff = false;
                scheduleFlush();
            });
            backoffMs = Math.min(2 * backoffMs, BACKOFF_MAX_MS);
        }
    }
}
