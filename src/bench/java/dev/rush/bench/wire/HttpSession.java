package dev.rush.bench.wire;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/**
 * A client on a keep-alive connection: a request, its answer, the next request, which a pace may
 * hold back.
 */
public final class HttpSession implements Session {
    private static final int FAILURES_MAX = 20;

    private final Supplier<byte[]> requests;
    private final Tally tally;
    private final long paceNanos;
    private long sentNanos;
    private long dueNanos;
    private int turn;
    private int failures;

    /**
     * A client.
     *
     * @param requests gives the next request, or null when there are no more
     * @param tally takes the answers
     * @param pace time between two requests; zero: none
     */
    public HttpSession(Supplier<byte[]> requests, Tally tally, Duration pace) {
        this.requests = requests;
        this.tally = tally;
        paceNanos = pace.toNanos();
        // The clients begin one after the other.
        dueNanos = System.nanoTime() + ThreadLocalRandom.current().nextLong(paceNanos + 1);
    }

    /** A client that sends each request as soon as the last one is answered. */
    public HttpSession(Supplier<byte[]> requests, Tally tally) {
        this(requests, tally, Duration.ZERO);
    }

    @Override
    public void ready(Link link) {
        if (paceNanos == 0) {
            send(link);
            return;
        }
        int mine = ++turn;
        link.quiet();
        link.later(dueNanos - System.nanoTime(), () -> {
            // A connection that was lost meanwhile has a turn of its own.
            if (mine == turn) {
                // What an outage held up is not made good for in a burst.
                dueNanos = Math.max(dueNanos, System.nanoTime() - paceNanos) + paceNanos;
                send(link);
            }
        });
    }

    private void send(Link link) {
        byte[] request = requests.get();
        if (request == null) {
            link.end();
            return;
        }
        sentNanos = System.nanoTime();
        link.send(request);
    }

    @Override
    public void received(Link link, ByteBuffer in) {
        HttpAnswer answer = HttpAnswer.read(in);
        if (answer == null) {
            return;
        }
        failures = 0;
        tally.answered(answer, System.nanoTime() - sentNanos);
        if (answer.closes()) {
            link.breakOff();
            link.reconnect();
        } else {
            ready(link);
        }
    }

    @Override
    public boolean lost(boolean sent, String reason) {
        turn++;
        if (sent) {
            // Whether the server has acted on it cannot be known: never sent a second time.
            tally.unanswered(reason);
        }
        failures++;
        if (failures <= FAILURES_MAX) {
            return true;
        }
        tally.gaveUp(reason);
        return false;
    }
}
