package dev.rush.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.impl.RoutingContextInternal;
import jakarta.enterprise.event.Observes;

/**
 * Refuses a body larger than 1 MiB, as a problem: one that says its length before it is read, one
 * that comes in chunks when it grows beyond. {@code quarkus.http.limits.max-body-size} is the same;
 * alone it would cut a chunked body off without saying why.
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
        if (length != null && length.length() >= 7 && Long.parseLong(length) > BYTES_MAX) {
            refuse(context);
        } else if (length == null && request.getHeader("Transfer-Encoding") != null) {
            readChunks(context);
        } else {
            context.next();
        }
    }

    /** Reads the body before anyone asks for it, as long as it stays within its bound. */
    private static void readChunks(RoutingContext context) {
        HttpServerRequest request = context.request();
        Buffer body = Buffer.buffer();
        request.handler(chunk -> {
            if (body.length() + chunk.length() <= BYTES_MAX) {
                body.appendBuffer(chunk);
            } else {
                refuse(context);
            }
        });
        request.endHandler(end -> {
            ((RoutingContextInternal) context).setBody(body);
            context.next();
        });
        if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
            context.response().writeContinue();
        }
        request.resume();
    }

    private static void refuse(RoutingContext context) {
        HttpServerRequest request = context.request();
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
