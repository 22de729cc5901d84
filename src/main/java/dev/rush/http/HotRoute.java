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
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Serves purchases, grabs and the views of sales and rains before the REST layer, which would cost
 * more CPU than the calls themselves. It takes only requests in their plain spelling; any other
 * spelling of a path or media type goes to the REST layer, where the same resource answers it.
 * Measured by {@code bench/throughput}.
 */
@Singleton
public class HotRoute {

    /**
     * After Quarkus's CORS filter (-300) and before its own identities, permissions and the REST
     * layer: {@link Callers} authenticates callers.
     */
    private static final int AFTER_CORS = -299;

    private final List<HotCall> calls;
    private final List<HotView> views;
    private final Callers callers;
    private final Bodies bodies;
    private final Vertx vertx;

    @Inject
    HotRoute(@All List<HotCall> calls, @All List<HotView> views, Callers callers, Bodies bodies,
            Vertx vertx) {
        this.calls = calls;
        this.views = views;
        this.callers = callers;
        this.bodies = bodies;
        this.vertx = vertx;
    }

    void install(@Observes Router router) {
        router.route().order(AFTER_CORS).handler(this::handle);
    }

    private void handle(RoutingContext routing) {
        if (!isServed(routing.request())) {
            routing.next();
        }
    }

    private boolean isServed(HttpServerRequest request) {
        String path = request.path();
        if (path == null || !acceptsJson(request)) {
            return false;
        }
        if (HttpMethod.POST.equals(request.method())) {
            for (HotCall call : calls) {
                String id = id(path, call.prefix(), call.suffix());
                if (id != null && (!call.needsJson() || hasJson(request))) {
                    serve(call, request, id);
                    return true;
                }
            }
        } else if (HttpMethod.GET.equals(request.method()) && !EarlyAnswers.hasBody(request)) {
            for (HotView view : views) {
                String id = id(path, view.prefix(), "");
                if (id != null) {
                    show(view, request, id);
                    return true;
                }
            }
        }
        return false;
    }

    /** The part of a path between prefix and suffix, if it is an id; else null. */
    private static @Nullable String id(String path, String prefix, String suffix) {
        int end = path.length() - suffix.length();
        if (end <= prefix.length() || !path.startsWith(prefix) || !path.endsWith(suffix)) {
            return null;
        }
        String id = path.substring(prefix.length(), end);
        return Texts.isId(id) ? id : null;
    }

    private static boolean hasJson(HttpServerRequest request) {
        return "application/json".equalsIgnoreCase(request.getHeader("Content-Type"));
    }

    private static boolean acceptsJson(HttpServerRequest request) {
        String accept = request.getHeader("Accept");
        return accept == null || accept.equals("*/*") || accept.equals("application/json");
    }

    private void show(HotView view, HttpServerRequest request, String id) {
        Context context = vertx.getOrCreateContext();
        EarlyAnswers.name(context, view.template());
        try {
            send(view.answer(id, request.getHeader("If-None-Match")), request, context);
        } catch (RuntimeException e) {
            ProblemMappers.answer(e, true).send(request.response());
        }
    }

    private void serve(HotCall call, HttpServerRequest request, String id) {
        Context context = vertx.getOrCreateContext();
        EarlyAnswers.name(context, call.template());
        try {
            Caller caller = callers.require(request);
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
            byte @Nullable [] body) {
        try {
            send(call.answer(caller, request, id, body), request, vertx.getOrCreateContext());
        } catch (RuntimeException e) {
            ProblemMappers.answer(e, false).send(request.response());
        }
    }

    private static void send(
            CompletionStage<Answer> answer, HttpServerRequest request, Context context) {
        Thread eventLoop = Thread.currentThread();
        boolean onlyReads = HttpMethod.GET.equals(request.method());
        answer.whenComplete((found, failure) -> {
            Answer sent = failure == null ? found : ProblemMappers.answer(failure, onlyReads);
            if (Thread.currentThread() == eventLoop) {
                sent.send(request.response());
            } else {
                context.runOnContext(ignored -> sent.send(request.response()));
            }
        });
    }
}
