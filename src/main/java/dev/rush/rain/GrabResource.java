package dev.rush.rain;

import dev.rush.http.Answer;
import dev.rush.http.Caller;
import dev.rush.http.Callers;
import dev.rush.http.HotCall;
import dev.rush.http.Json;
import dev.rush.http.Problem;
import dev.rush.http.Violations;
import dev.rush.http.limit.Admission;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.headers.Header;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.security.SecurityRequirement;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Grabs. Refusals take precedence in the order of the API contract. */
@Singleton
@Path("/v1/rains/{rain}/grabs")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Rains")
public class GrabResource implements HotCall {

    private final Callers callers;
    private final Admission admission;
    private final RainViewCache views;
    private final Grabs grabs;
    private final Json json;

    @Inject
    GrabResource(Callers callers, Admission admission, RainViewCache views, Grabs grabs,
            Json json) {
        this.callers = callers;
        this.admission = admission;
        this.views = views;
        this.grabs = grabs;
        this.json = json;
    }

    @Override
    public String prefix() {
        return "/v1/rains/";
    }

    @Override
    public String suffix() {
        return "/grabs";
    }

    @Override
    public String template() {
        return "/v1/rains/{rain}/grabs";
    }

    @Override
    public boolean needsJson() {
        return false;
    }

    /** Takes the next envelope. */
    @POST
    @Operation(operationId = "grab", summary = "Grab the next envelope",
            extensions = @Extension(name = "x-problems", value =
                    "blocked unknown-rain not-loaded paused not-open closed "
                    + "limit-reached empty backlogged rejected"))
    @SecurityRequirement(name = "token")
    @APIResponse(responseCode = "201",
            description = "The grab and its amount; also the answer to a repetition with the same "
                    + "key",
            headers = @Header(name = "Idempotency-Replayed", ref = "Idempotency-Replayed"),
            content = @Content(schema = @Schema(implementation = GrabView.class)))
    public CompletionStage<Response> grab(@Context HttpServerRequest request,
            @PathParam("rain") String rain, @HeaderParam("Idempotency-Key") String key,
            byte @Nullable [] body) {
        return answer(callers.require(request), request, rain, body).thenApply(Answer::response);
    }

    @Override
    public CompletionStage<Answer> answer(
            Caller caller, HttpServerRequest request, String rain, byte @Nullable [] body) {
        Violations.id("rain", rain);
        String key = Violations.key(request.getHeader("Idempotency-Key"));
        json.readNothing(body);
        Answer refusal = admission.refusal(caller);
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        // An unknown rain is refused here, so that it does not get a queue.
        return views.find(rain).thenCompose(view -> view == null
                ? CompletableFuture.completedFuture(Problem.of(views.absence(rain)).answer())
                : grabs.grab(rain, view.durability(), caller.user(), key)
                        .thenApply(outcome -> outcome.answer(json)));
    }

    /** The caller's grabs. */
    @GET
    @Operation(operationId = "listGrabs", summary = "The caller's grabs, newest first",
            extensions = @Extension(name = "x-problems", value = "unknown-rain not-loaded closed"))
    @SecurityRequirement(name = "token")
    @APIResponse(responseCode = "200", description = "The grabs",
            content = @Content(schema = @Schema(implementation = GrabView.Page.class)))
    public CompletionStage<Response> list(
            @Context HttpServerRequest request, @PathParam("rain") String rain) {
        Caller caller = callers.require(request);
        Violations.id("rain", rain);
        return grabs.of(rain, caller.user()).thenApply(found -> found == null
                ? Problem.of(views.absence(rain)).response()
                : Response.ok(json.write(Map.of("grabs", found))).build());
    }
}
