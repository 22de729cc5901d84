package dev.rush.order;

import dev.rush.redis.Partition;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.Router;
import dev.rush.redis.cluster.StreamTail;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Those who wait for what the ledger decides about orders and grabs of one partition. While there
 * are any, and a while longer, the partition's stream of decisions is followed. Thread-safe.
 */
final class DecisionReader {

    /** How far the beginning of following lies before the first who waits. */
    private static final long BACK_MS = 1_000;
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final StreamTail tail;
    private final long deadlineNanos;
    private final Map<String, Waiter> waiting = new ConcurrentHashMap<>();
    /** All who ever waited, the first first, until {@link #sweep} finds that they do not. */
    private final Queue<Waiter> inOrder = new ConcurrentLinkedQueue<>();
    private volatile long decidedNanos = System.nanoTime();
    private volatile long neededNanos = System.nanoTime() - KEPT_NANOS;
    private boolean following;

    private record Waiter(String order, long sinceNanos, Context context,
            CompletableFuture<Decision> answer) {

        void tell(Decision decision) {
            if (context == null) {
                answer.complete(decision);
            } else {
                context.runOnContext(ignored -> answer.complete(decision));
            }
        }
    }

    DecisionReader(Router router, Partition partition, long deadlineNanos) {
        this.deadlineNanos = deadlineNanos;
        this.tail = new StreamTail(router, partition.keys().named("decided"), this::backMs,
                this::read);
    }

    private long backMs() {
        Waiter first = inOrder.peek();
        return BACK_MS + (first == null ? 0
                : TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - first.sinceNanos));
    }

    /**
     * Waits for an order; call it before the order can be decided.
     *
     * @return completes on the caller's event loop, if it has one
     */
    CompletableFuture<Decision> await(String order) {
        Waiter waiter = new Waiter(order, System.nanoTime(),
                Context.isOnEventLoopThread() ? Vertx.currentContext() : null,
                new CompletableFuture<>());
        waiting.put(order, waiter);
        inOrder.add(waiter);
        if (System.nanoTime() - neededNanos > KEPT_NANOS / 2) {
            follow();
        }
        return waiter.answer;
    }

    /** Nobody waits for this order any more. */
    void forget(String order) {
        waiting.remove(order);
    }

    private synchronized void follow() {
        neededNanos = System.nanoTime();
        if (!following) {
            following = true;
            tail.start();
        }
    }

    private void read(Reply fields) {
        decided(fields.at(1).text());
    }

    /** Tells those who wait of a message "id !id ?id …". */
    void decided(String ids) {
        for (String id : ids.split(" ")) {
            char first = id.charAt(0);
            // What is to be tried again is not decided.
            if (first != '?') {
                Waiter waiter = waiting.remove(first == '!' ? id.substring(1) : id);
                if (waiter != null) {
                    waiter.tell(first == '!' ? Decision.REJECTED : Decision.STORED);
                }
            }
        }
        decidedNanos = System.nanoTime();
    }

    /** Whether nothing was decided since somebody began to wait who has half given up. */
    boolean isStuck() {
        Waiter first = first();
        return first != null && System.nanoTime() - first.sinceNanos > deadlineNanos / 2
                && decidedNanos - first.sinceNanos < 0;
    }

    private Waiter first() {
        Waiter first = inOrder.peek();
        while (first != null && waiting.get(first.order) != first) {
            inOrder.remove(first);
            first = inOrder.peek();
        }
        return first;
    }

    /** Tells those whose time is over; stops following where nobody has waited for long. */
    void sweep() {
        Waiter first = first();
        while (first != null && System.nanoTime() - first.sinceNanos >= deadlineNanos) {
            if (waiting.remove(first.order, first)) {
                first.tell(Decision.UNKNOWN);
            }
            first = first();
        }
        stopWhenIdle(first != null);
    }

    private synchronized void stopWhenIdle(boolean needed) {
        if (needed) {
            neededNanos = System.nanoTime();
        } else if (following && System.nanoTime() - neededNanos > KEPT_NANOS) {
            following = false;
            tail.stop();
        }
    }

    synchronized void stop() {
        following = false;
        tail.stop();
    }
}
