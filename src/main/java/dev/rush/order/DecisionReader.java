package dev.rush.order;

import dev.rush.redis.Partition;
import dev.rush.redis.Reply;
import dev.rush.redis.cluster.Router;
import dev.rush.redis.cluster.StreamTail;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Completes callers that wait for the ledger's decisions about orders and grabs of one partition.
 * Follows the partition's stream of decisions until 30 s after the last caller. Thread-safe.
 */
final class DecisionReader {

    /** The stream is read from this long before the first waiting caller. */
    private static final long BACK_MS = 1_000;
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final StreamTail tail;
    private final long deadlineNanos;
    /** Number of waiting callers of all partitions. */
    private final AtomicInteger count;
    /** All waiting callers in order; also the lock of the fields below. */
    private final LinkedHashSet<Waiter> inOrder = new LinkedHashSet<>();
    /**
     * Several callers may wait for one order, because a client without an answer retries with the
     * same key.
     */
    private final Map<String, List<Waiter>> byOrder = new HashMap<>();
    private long decidedNanos = System.nanoTime();
    /** Whether a caller has timed out and nothing was decided since. */
    private boolean silent;
    private volatile long neededNanos = System.nanoTime() - KEPT_NANOS;
    private boolean following;

    /** A waiting caller, compared by identity. */
    private static final class Waiter {
        private final String order;
        private final long sinceNanos = System.nanoTime();
        private final @Nullable Context context =
                Context.isOnEventLoopThread() ? Vertx.currentContext() : null;
        private final CompletableFuture<Decision> answer = new CompletableFuture<>();

        Waiter(String order) {
            this.order = order;
        }

        void complete(Decision decision) {
            if (context == null) {
                answer.complete(decision);
            } else {
                context.runOnContext(ignored -> answer.complete(decision));
            }
        }
    }

    DecisionReader(Router router, Partition partition, long deadlineNanos, AtomicInteger count) {
        this.deadlineNanos = deadlineNanos;
        this.count = count;
        this.tail = new StreamTail(router, partition.keys().named("decided"), this::backMs,
                this::read);
    }

    private long backMs() {
        synchronized (inOrder) {
            return BACK_MS + (inOrder.isEmpty() ? 0
                    : TimeUnit.NANOSECONDS.toMillis(ageNanos(first())));
        }
    }

    private Waiter first() {
        return inOrder.iterator().next();
    }

    private static long ageNanos(Waiter waiter) {
        return System.nanoTime() - waiter.sinceNanos;
    }

    /**
     * Waits for an order; call it before the order can be decided.
     *
     * @return completes on the caller's event loop, if it has one. Completing it ends the wait.
     */
    CompletableFuture<Decision> await(String order) {
        Waiter waiter = new Waiter(order);
        synchronized (inOrder) {
            inOrder.add(waiter);
            byOrder.computeIfAbsent(order, first -> new ArrayList<>(1)).add(waiter);
            count.incrementAndGet();
        }
        waiter.answer.whenComplete((decision, failure) -> remove(waiter));
        if (System.nanoTime() - neededNanos > KEPT_NANOS / 2) {
            follow();
        }
        return waiter.answer;
    }

    private void remove(Waiter waiter) {
        synchronized (inOrder) {
            if (!inOrder.remove(waiter)) {
                return;
            }
            count.decrementAndGet();
            byOrder.computeIfPresent(waiter.order, (order, same) -> {
                same.remove(waiter);
                return same.isEmpty() ? null : same;
            });
        }
    }

    private synchronized void follow() {
        neededNanos = System.nanoTime();
        if (!following) {
            following = true;
            tail.start();
        }
    }

    private void read(Reply fields) {
        decided(fields.at(1).word());
    }

    /** Completes waiting callers from a message "id !id ?id …". */
    void decided(String ids) {
        List<Waiter> stored = new ArrayList<>();
        List<Waiter> rejected = new ArrayList<>();
        synchronized (inOrder) {
            for (String id : ids.split(" ")) {
                char first = id.charAt(0);
                // An order that will be retried is not decided.
                if (first != '?') {
                    (first == '!' ? rejected : stored).addAll(
                            byOrder.getOrDefault(first == '!' ? id.substring(1) : id, List.of()));
                }
            }
            stored.forEach(this::remove);
            rejected.forEach(this::remove);
            decidedNanos = System.nanoTime();
            silent = false;
        }
        stored.forEach(waiter -> waiter.complete(Decision.STORED));
        rejected.forEach(waiter -> waiter.complete(Decision.REJECTED));
    }

    /**
     * Whether some caller has waited for half its time without any decision. After a timeout, one
     * caller at a time may wait until something is decided.
     */
    boolean isStuck() {
        synchronized (inOrder) {
            return !inOrder.isEmpty() && (silent || ageNanos(first()) > deadlineNanos / 2
                    && decidedNanos - first().sinceNanos < 0);
        }
    }

    /**
     * Completes callers whose time is over; stops following the stream after a while without
     * callers.
     */
    void sweep() {
        List<Waiter> late = new ArrayList<>();
        boolean needed;
        synchronized (inOrder) {
            Iterator<Waiter> all = inOrder.iterator();
            Waiter next = all.hasNext() ? all.next() : null;
            while (next != null && ageNanos(next) >= deadlineNanos) {
                late.add(next);
                silent |= decidedNanos - next.sinceNanos < 0;
                next = all.hasNext() ? all.next() : null;
            }
            late.forEach(this::remove);
            needed = next != null;
        }
        late.forEach(waiter -> waiter.complete(Decision.UNKNOWN));
        stopWhenIdle(needed);
    }

    private synchronized void stopWhenIdle(boolean needed) {
        if (needed && following) {
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
