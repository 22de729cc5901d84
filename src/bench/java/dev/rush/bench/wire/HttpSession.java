package dev.rush.bench.wire;

import java.nio.ByteBuffer;
import java.util.function.Supplier;

/** A client on a keep-alive connection: a request, its answer, the next request. */
public final class HttpSession implements Session {
    private static final int FAILURES_MAX = 20;

    private final Supplier<byte[]> requests;
    private final Tally tally;
    private byte[] unsent;
    private long sentNanos;
    private int failures;

    /**
     * A client.
     *
     * @param requests gives the next request, or null when there are no more
     * @param tally takes the answers
     */
    public HttpSession(Supplier<byte[]> requests, Tally tally) {
        this.requests = requests;
        this.tally = tally;
    }

    @Override
    public void ready(Link link) {
        byte[] request = unsent != null ? unsent : requests.get();
        if (request == null) {
            link.end();
            return;
        }
        unsent = null;
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
