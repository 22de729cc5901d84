package dev.rush.bench.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Many connections driven by the calling thread. All are opened first; then the run begins, and
 * lasts until every session has ended.
 */
public final class Wire {
    /** More at once would overflow a server's accept queue. */
    private static final int CONNECTING_MAX = 128;
    private static final long SWEEP_NANOS = 100_000_000;

    private final long answerLimitNanos;
    private final Selector selector;
    private final Set<Link> links = new LinkedHashSet<>();
    private final ArrayDeque<Link> unopened = new ArrayDeque<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private int connecting;
    private boolean begun;
    private long beginNanos;
    private Runnable onBegin = () -> { };

    private record Timer(long dueNanos, Runnable action) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            return Long.compare(dueNanos - other.dueNanos, 0);
        }
    }

    /**
     * Creates a wire without connections.
     *
     * @param answerLimit time without an answer after which a connection fails
     */
    public Wire(Duration answerLimit) {
        answerLimitNanos = answerLimit.toNanos();
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds a connection. */
    public void add(InetSocketAddress address, Session session) {
        Link link = new Link(this, address, session);
        links.add(link);
        unopened.add(link);
    }

    /** Sets an action to run once all connections are open, before the first message. */
    public void onBegin(Runnable action) {
        onBegin = action;
    }

    /** Runs all sessions to their end and returns the time that took, without connecting. */
    public Duration run() {
        try (Selector closed = selector) {
            long nextSweep = System.nanoTime() + SWEEP_NANOS;
            while (!links.isEmpty()) {
                openMore();
                closed.select(key -> ((Link) key.attachment()).handleSelected(), waitMs(nextSweep));
                runTimers();
                long now = System.nanoTime();
                if (now - nextSweep >= 0) {
                    sweep(now);
                    nextSweep = now + SWEEP_NANOS;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Duration.ofNanos(begun ? System.nanoTime() - beginNanos : 0);
    }

    void later(long nanos, Runnable action) {
        timers.add(new Timer(System.nanoTime() + nanos, action));
    }

    void connect(Link link) {
        unopened.add(link);
    }

    void connectEnded() {
        connecting--;
    }

    void opened(Link link) {
        if (begun) {
            link.session().ready(link);
        }
    }

    void ended(Link link) {
        links.remove(link);
    }

    private void openMore() {
        while (!unopened.isEmpty() && connecting < CONNECTING_MAX) {
            Link link = unopened.poll();
            connecting++;
            try {
                link.connect(selector);
            } catch (IOException e) {
                link.fail(e.getMessage());
            }
        }
        if (!begun && unopened.isEmpty() && connecting == 0) {
            begun = true;
            onBegin.run();
            beginNanos = System.nanoTime();
            for (Link link : Set.copyOf(links)) {
                link.session().ready(link);
            }
        }
    }

    private long waitMs(long nextSweep) {
        long until = timers.isEmpty() ? nextSweep : Math.min(nextSweep, timers.peek().dueNanos);
        return Math.max(1, (until - System.nanoTime()) / 1_000_000);
    }

    private void runTimers() {
        long now = System.nanoTime();
        while (!timers.isEmpty() && timers.peek().dueNanos - now <= 0) {
            timers.poll().action.run();
        }
    }

    private void sweep(long now) {
        for (Link link : Set.copyOf(links)) {
            if (link.isOverdue(now, answerLimitNanos)) {
                link.fail("no answer within " + Duration.ofNanos(answerLimitNanos));
            }
        }
    }
}
