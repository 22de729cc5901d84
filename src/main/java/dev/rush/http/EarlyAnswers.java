package dev.rush.http;

import io.netty.util.concurrent.FastThreadLocal;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

/**
 * Handles each request before routing: browsers must not guess media types, clients cannot invent
 * labels of metrics, and a connection whose request was answered before it was complete is closed.
 */
@Singleton
public class EarlyAnswers {

    private static final CharSequence TYPE_OPTIONS =
            HttpHeaders.createOptimized("X-Content-Type-Options");
    private static final CharSequence NO_SNIFF = HttpHeaders.createOptimized("nosniff");
    private static final int BEFORE_EVERYTHING = -1_000_000;
    /** How long the rest of a body is read and discarded, so that the client gets its answer. */
    private static final long LINGER_MILLIS = 1_000;
    /** Quarkus reads the path of metrics from this key, and otherwise uses the client's. */
    private static final String METRICS_PATH = "UrlPathTemplate";
    private static final String UNKNOWN_PATH = "UNMATCHED";
    /** Maximum pipelined requests that are handled on one stack. */
    private static final int DEPTH_MAX = 8;
    /** Requests that are being handled on this thread's stack. */
    private static final FastThreadLocal<int[]> DEPTH = new FastThreadLocal<>() {

        @Override
        protected int[] initialValue() {
            return new int[1];
        }
    };

    private final Vertx vertx;

    @Inject
    EarlyAnswers(Vertx vertx) {
        this.vertx = vertx;
    }

    void install(@Observes Router router) {
        router.route().order(BEFORE_EVERYTHING).handler(this::handle);
    }

    /** Whether this request has a body. */
    static boolean hasBody(HttpServerRequest request) {
        String length = request.getHeader("Content-Length");
        return length != null ? !"0".equals(length)
                : request.getHeader("Transfer-Encoding") != null;
    }

    /** Sets the path by which metrics count the request of this context. */
    static void name(Context context, String template) {
        context.putLocal(METRICS_PATH, template);
    }

    private void handle(RoutingContext context) {
        HttpServerRequest request = context.request();
        Context local = vertx.getOrCreateContext();
        if (local.getLocal(METRICS_PATH) == null) {
            local.putLocal(METRICS_PATH, UNKNOWN_PATH);
        }
        request.response().putHeader(TYPE_OPTIONS, NO_SNIFF);
        if (hasBody(request)) {
            context.addEndHandler(ended -> {
                // A disconnected client sends nothing more, and the reader of the body is notified.
                if (ended.succeeded()) {
                    finish(request);
                }
            });
        }
        next(context);
    }

    /**
     * Vert.x starts the next pipelined request on the stack of the answer before it, so hundreds of
     * immediate answers would overflow the stack.
     */
    private void next(RoutingContext context) {
        int[] depth = DEPTH.get();
        if (depth[0] == DEPTH_MAX) {
            vertx.getOrCreateContext().runOnContext(unwound -> next(context));
            return;
        }
        depth[0]++;
        try {
            context.next();
        } finally {
            depth[0]--;
        }
    }

    /** Discards the rest of an answered request; closes the connection if that takes too long. */
    private void finish(HttpServerRequest request) {
        if (request.isEnded()) {
            return;
        }
        request.handler(ignored -> { });
        request.endHandler(ignored -> { });
        request.exceptionHandler(ignored -> { });
        request.resume();
        vertx.getOrCreateContext().runOnContext(arrived -> {
            if (!request.isEnded()) {
                vertx.setTimer(LINGER_MILLIS, ignored -> {
                    if (!request.isEnded()) {
                        request.connection().close();
                    }
                });
            }
        });
    }
}
