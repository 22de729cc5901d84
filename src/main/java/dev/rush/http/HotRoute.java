package dev.rush.http;

import io.quarkus.arc.All;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;

/**
 * Serves purchases and grabs before the REST layer, which would cost more than the purchase itself.
 * It takes only requests whose meaning is beyond doubt; every other spelling of a path or media
 * type goes on to the REST layer, where the same resource answers it. Measured by
 * {@code bench/throughput}.
 */
@Singleton
public class HotRoute {

    /**
     * After Quarkus's CORS filter (-300) and before its own identities, permissions and the REST
     * layer: {@link Callers} decides who calls.
     */
    private static final int AFTER_CORS = -299;

    private final List<HotCall> calls;
    private final Callers callers;
    private final Bodies bodies;
    private final Vertx vertx;

    @Inject
    HotRoute(@All List<HotCall> calls, Callers callers, Bodies bodies, Vertx vertx) {
        this.calls = calls;
        this.callers = callers;
        this.bodies = bodies;
        this.vertx = vertx;
    }

    void install(@Observes Router router) {
        router.route().order(AFTER_CORS).handler(this::handle);
    }

    private void handle(RoutingContext routing) {
        HttpServerRequest request = routing.request();
        if (request.method() == HttpMethod.POST) {
            String path = request.path();
            for (HotCall call : calls) {
                if (serves(call, path) && isPlain(call, request)) {
                    serve(call, request, path);
                    return;
                }
            }
        }
        routing.next();
    }

    private static boolean serves(HotCall call, String path) {
        return path != null && path.startsWith(call.prefix()) && path.endsWith(call.suffix())
                && path.length() > call.prefix().length() + call.suffix().length()
                && Texts.isId(id(call, path));
    }

    private static String id(HotCall call, String path) {
        return path.substring(call.prefix().length(), path.length() - call.suffix().length());
    }

    private static boolean isPlain(HotCall call, HttpServerRequest request) {
        if (call.needsJson()
                && !"application/json".equalsIgnoreCase(request.getHeader("Content-Type"))) {
            return false;
        }
        String accept = request.getHeader("Accept");
        return accept == null || accept.equals("*/*") || accept.equals("application/json");
    }

    private void serve(HotCall call, HttpServerRequest request, String path) {
        Context context = vertx.getOrCreateContext();
        EarlyAnswers.name(context, call.template());
        try {
            Caller caller = callers.require(request);
            String id = id(call, path);
            if (EarlyAnswers.hasBody(request)) {
                bodies.read(request, caller, body -> answer(call, caller, request, id, body),
                        refusal -> refusal.answer().send(request.response()));
            } else {
                answer(call, caller, request, id, null);
            }
        } catch (RuntimeException e) {
            ProblemMappers.answer(e, false).send(request.response());
        }
    }

    private void answer(HotCall call, Caller caller, HttpServerRequest request, String id,
            byte[] body) {
        Thread eventLoop = Thread.currentThread();
        Context context = vertx.getOrCreateContext();
        try {
            call.answer(caller, request, id, body).whenComplete((answer, failure) -> {
                Answer sent = failure == null ? answer : ProblemMappers.answer(failure, false);
                if (Thread.currentThread() == eventLoop) {
                    sent.send(request.response());
                } else {
                    context.runOnContext(ignored -> sent.send(request.response()));
                }
            });
        } catch (RuntimeException e) {
            ProblemMappers.answer(e, false).send(request.response());
        }
    }
}
