package dev.rush.http;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Reads the body of one request, on its event loop: up to a maximum size, by a deadline, and within
 * the pod's {@link BodyBudget}. It buffers the bytes only once.
 */
final class BodyReader {

    /** Memory of a body in addition to its bytes. */
    private static final int OVERHEAD = 512;
    private static final int FIRST_BYTES = 512;

    private static final byte[] NONE = {};

    private final Vertx vertx;
    private final HttpServerRequest request;
    private final BodyBudget budget;
    private final Caller caller;
    private final int bytesMax;
    private final Consumer<byte[]> done;
    private final Consumer<Problem> refused;
    private final Runnable aborted;
    private byte[] body = NONE;
    private int length;
    private long taken;
    private boolean inTransit;
    private boolean over;
    private long timer = -1;

    /**
     * A reader of a request's body.
     *
     * @param caller   the sender; a buyer's bodies in transit are limited
     * @param bytesMax maximum size of this body
     * @param done     receives the body
     * @param refused  receives the refusal
     * @param aborted  runs if the client has disconnected before the body was complete
     */
    BodyReader(Vertx vertx, HttpServerRequest request, BodyBudget budget, Caller caller,
            int bytesMax, Consumer<byte[]> done, Consumer<Problem> refused, Runnable aborted) {
        this.vertx = vertx;
        this.request = request;
        this.budget = budget;
        this.caller = caller;
        this.bytesMax = bytesMax;
        this.done = done;
        this.refused = refused;
        this.aborted = aborted;
    }

    /**
     * Starts reading. Calls exactly one of the three callbacks, once, after it has returned its
     * bytes to the budget.
     */
    void read(long millis) {
        String declared = request.getHeader("Content-Length");
        if (declared != null && Long.parseLong(declared) > bytesMax) {
            refuse(Problem.of(OutcomeCode.TOO_LARGE));
            return;
        }
        body = new byte[declared == null ? FIRST_BYTES : Integer.parseInt(declared)];
        if (!take(OVERHEAD + body.length)) {
            return;
        }
        request.exceptionHandler(failure -> end(aborted));
        request.handler(this::append);
        request.endHandler(end -> end(() ->
                done.accept(length == body.length ? body : Arrays.copyOf(body, length))));
        // HTTP/1.0 has no interim answers: a client would treat this as the final answer.
        if (request.version() == HttpVersion.HTTP_1_1
                && "100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
            request.response().writeContinue();
        }
        request.resume();
        // Bytes that arrived with the head are delivered before this runs.
        vertx.getOrCreateContext().runOnContext(ignored -> {
            if (!over && !budget.beginTransit(caller)) {
                refuse(budget.tooManyInTransit());
            } else if (!over) {
                inTransit = true;
                timer = vertx.setTimer(millis,
                        late -> refuse(Problem.of(OutcomeCode.REQUEST_TIMEOUT)));
                take(0);
            }
        });
    }

    private void append(Buffer chunk) {
        if (over) {
            return;
        }
        int longer = length + chunk.length();
        if (longer > bytesMax) {
            refuse(Problem.of(OutcomeCode.TOO_LARGE));
            return;
        }
        if (longer > body.length) {
            int grown = Math.min(bytesMax, Math.max(longer, 2 * body.length));
            if (!take(grown - body.length)) {
                return;
            }
            body = Arrays.copyOf(body, grown);
        }
        chunk.getBytes(body, length);
        length = longer;
    }

    /** Takes bytes from the budget, or refuses the request. */
    private boolean take(int bytes) {
        if (budget.take(bytes, inTransit)) {
            taken += bytes;
            return true;
        }
        refuse(Problem.of(OutcomeCode.UNAVAILABLE));
        return false;
    }

    private void refuse(Problem refusal) {
        end(() -> refused.accept(refusal));
    }

    private void end(Runnable outcome) {
        if (over) {
            return;
        }
        over = true;
        if (timer >= 0) {
            vertx.cancelTimer(timer);
        }
        budget.giveBack(taken);
        if (inTransit) {
            budget.endTransit(caller);
        }
        outcome.run();
        body = NONE;
    }
}
