package dev.rush.bench.wire;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/**
 * A client on a keep-alive connection: sends the next request after each answer, at a given pace at
 * most.
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
     * Creates a client.
     *
     * @param requests returns the next request, or null when there are no more
     * @param tally counts the answers
     * @param pace minimum interval between two requests; zero: none
     */
    public HttpSession(Supplier<byte[]> requests, Tally tally, Duration pace) {
        this.requests = requests;
        this.tally = tally;
        paceNanos = pace.toNanos();
        // Spread the first requests over one interval.
        dueNanos = System.nanoTime() + ThreadLocalRandom.current().nextLong(paceNanos + 1);
    }

    /** Creates a client that sends each request as soon as the previous one is answered. */
    public HttpSession(Supplier<byte[]> requests, Tally tally) {
        this(requests, tally, Duration.ZERO);
    }

    @Override
    public void ready(Link link) {
        if (paceNanos == 0) {
            send(link);
            return;
        }
        int scheduled = ++turn;
        link.idle();
        link.later(dueNanos - System.nanoTime(), () -> {
            // After a reconnect, only the newer timer counts.
            if (scheduled == turn) {
                // Do not catch up in a burst after an outage.
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
            link.abort();
            link.reconnect();
        } else {
            ready(link);
        }
    }

    @Override
    public boolean lost(boolean sent, String reason) {
        turn++;
        if (sent) {
            // The outcome is unknown, so the request is never sent again.
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
