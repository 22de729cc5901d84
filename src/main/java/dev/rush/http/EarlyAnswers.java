package dev.rush.http;

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
 * Does for each request what holds before anyone knows what it asks for: no browser guesses a type,
 * no client names a metric, and a connection whose request was answered before it was whole is
 * closed.
 */
@Singleton
public class EarlyAnswers {

    private static final CharSequence TYPE_OPTIONS =
            HttpHeaders.createOptimized("X-Content-Type-Options");
    private static final CharSequence NO_SNIFF = HttpHeaders.createOptimized("nosniff");
    private static final int BEFORE_EVERYTHING = -1_000_000;
    /** How long the rest of a body is thrown away, so that the client gets to read its answer. */
    private static final long LINGER_MILLIS = 1_000;
    /** Where Quarkus looks for the path that a metric names; else it takes the client's. */
    private static final String PATH_OF_METRICS = "UrlPathTemplate";
    private static final String NO_KNOWN_PATH = "UNMATCHED";

    private final Vertx vertx;

    @Inject
    EarlyAnswers(Vertx vertx) {
        this.vertx = vertx;
    }

    void install(@Observes Router router) {
        router.route().order(BEFORE_EVERYTHING).handler(this::handle);
    }

    /** Whether a body comes with the head of this request. */
    static boolean hasBody(HttpServerRequest request) {
        String length = request.getHeader("Content-Length");
        return length != null ? !"0".equals(length)
                : request.getHeader("Transfer-Encoding") != null;
    }

    /** Says by which path metrics count the request of this context. */
    static void name(Context context, String template) {
        context.putLocal(PATH_OF_METRICS, template);
    }

    private void handle(RoutingContext context) {
        HttpServerRequest request = context.request();
        Context local = vertx.getOrCreateContext();
        if (local.getLocal(PATH_OF_METRICS) == null) {
            local.putLocal(PATH_OF_METRICS, NO_KNOWN_PATH);
        }
        request.response().putHeader(TYPE_OPTIONS, NO_SNIFF);
        if (hasBody(request)) {
            context.addEndHandler(ended -> {
                // Of a client who has left nothing is left, and who reads the body hears of it.
                if (ended.succeeded()) {
                    finish(request);
                }
            });
        }
        context.next();
    }

    /** Throws away what is left of an answered request; closes the connection if that lasts. */
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
