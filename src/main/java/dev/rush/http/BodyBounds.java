package dev.rush.http;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.core.buffer.Buffer;
import jakarta.enterprise.event.Observes;

/**
 * Refuses a body that says it is larger than 1 MiB before it is read, as a problem. One that does
 * not say so is cut off by {@code quarkus.http.limits.max-body-size} of the same size.
 */
public class BodyBounds {

    /** The largest body in bytes. */
    public static final long BYTES_MAX = 1 << 20;
    private static final int BEFORE_EVERYTHING = -1_000_000;

    void install(@Observes Router router) {
        router.route().order(BEFORE_EVERYTHING).handler(BodyBounds::check);
    }

    private static void check(RoutingContext context) {
        HttpServerRequest request = context.request();
        String length = request.getHeader("Content-Length");
        if (length == null || length.length() < 7 || Long.parseLong(length) <= BYTES_MAX) {
            context.next();
            return;
        }
        HttpServerResponse response = request.response();
        response.setStatusCode(Word.TOO_LARGE.status())
                .putHeader("Content-Type", Problem.MEDIA_TYPE.toString())
                .putHeader("Connection", "close");
        // The rest of the body is read and thrown away, so that the client gets to read the answer.
        request.handler(ignored -> { });
        request.endHandler(ignored -> { });
        request.resume();
        response.end(Buffer.buffer(Problem.of(Word.TOO_LARGE).body()));
    }
}
