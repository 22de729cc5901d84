package dev.rush.http;

import dev.rush.RushConfig;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.ByteArrayInputStream;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;
import org.jboss.resteasy.reactive.server.mapping.RuntimeResource;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveContainerRequestContext;

/**
 * The only place where request bodies are read. It runs once the call is known and before the body
 * is read: first the caller must be authenticated, then the body must stay within the limit of its
 * call, the budget of the pod and a deadline.
 */
@Singleton
public class Bodies {

    private static final Set<String> WITH_BODY = Set.of("POST", "PUT", "PATCH");

    /** Maximum size of a body, except for the calls below; sufficient for twenty lines. */
    static final int BYTES_MAX = 4096;
    /** Calls with larger bodies, all of them operators' calls: definitions, lists of amounts. */
    private static final Map<String, Integer> LARGER = Map.of(
            "PUT /v1/sales/{sale}", 1 << 20,
            "PUT /v1/rains/{rain}", 1 << 20);

    private final Callers callers;
    private final BodyBudget budget;
    private final AbortedBodies aborted;
    private final Vertx vertx;
    private final long timeoutMillis;

    @Inject
    Bodies(Callers callers, BodyBudget budget, AbortedBodies aborted, Vertx vertx,
            RushConfig config) {
        this.callers = callers;
        this.budget = budget;
        this.aborted = aborted;
        this.vertx = vertx;
        this.timeoutMillis = config.http().bodyTimeout().toMillis();
    }

    /**
     * Suspends a call until its caller is authenticated and its body is complete, or answers it.
     */
    void await(ResteasyReactiveContainerRequestContext context) {
        ResteasyReactiveRequestContext call =
                (ResteasyReactiveRequestContext) context.getServerRequestContext();
        RoutingContext routing = call.serverRequest().unwrap(RoutingContext.class);
        HttpServerRequest request = routing.request();
        Integer larger = LARGER.get(context.getMethod() + " " + template(call.getTarget()));
        Caller caller = larger != null ? callers.requireOperator(request)
                : callers.require(request);
        if (WITH_BODY.contains(context.getMethod()) && EarlyAnswers.hasBody(request)) {
            context.suspend();
            read(request, caller, larger == null ? BYTES_MAX : larger, body -> {
                context.setEntityStream(new ByteArrayInputStream(body));
                context.resume();
            }, refusal -> {
                context.abortWith(refusal.response());
                context.resume();
            });
        }
    }

    /**
     * Reads the body of an authenticated call with the size limit of a purchase. Calls one of the
     * two callbacks when it is complete or refused, on the event loop of the request.
     */
    void read(HttpServerRequest request, Caller caller, Consumer<byte[]> done,
            Consumer<Problem> refused) {
        read(request, caller, BYTES_MAX, done, refused);
    }

    private void read(HttpServerRequest request, Caller caller, int bytesMax,
            Consumer<byte[]> done, Consumer<Problem> refused) {
        new BodyReader(vertx, request, budget, caller, bytesMax, done, refused, () -> {
            aborted.count();
            refused.accept(Problem.of(OutcomeCode.REQUEST_TIMEOUT));
        }).read(timeoutMillis);
    }

    private static String template(RuntimeResource resource) {
        String base = resource.getClassPath() == null ? "" : resource.getClassPath().template;
        return base + resource.getPath().template;
    }
}
