package dev.rush.rain;

import dev.rush.http.Answer;
import dev.rush.http.Callers;
import dev.rush.http.HotView;
import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.Violations;
import dev.rush.ledger.Actor;
import dev.rush.offer.OfferControl;
import io.smallrye.common.annotation.Blocking;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.headers.Header;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.security.SecurityRequirement;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Rains: preparing, controlling and reading them. */
@Singleton
@Path("/v1/rains")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Rains")
public class RainResource implements HotView {

    private final Callers callers;
    private final Rains rains;
    private final RainViewCache views;
    private final Leaderboards leaderboards;
    private final RainListing listing;
    private final Json json;

    @Inject
    RainResource(Callers callers, Rains rains, RainViewCache views, Leaderboards leaderboards,
            RainListing listing, Json json) {
        this.callers = callers;
        this.rains = rains;
        this.views = views;
        this.leaderboards = leaderboards;
        this.listing = listing;
        this.json = json;
    }

    /**
     * Prepares a rain. Runs on a worker thread, because splitting and filling a large one would
     * block an event loop.
     */
    @PUT
    @Path("{rain}")
    @Blocking
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(operationId = "prepareRain", summary = "Prepare a rain",
            extensions = @Extension(name = "x-problems", value = "rain-exists not-loaded"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "201", description = "The rain is prepared",
            content = @Content(schema = @Schema(implementation = RainAnswer.class)))
    @APIResponse(responseCode = "200",
            description = "It was already prepared with the same definition",
            content = @Content(schema = @Schema(implementation = RainAnswer.class)))
    @RequestBody(content = @Content(schema = @Schema(implementation = RainRequest.class)))
    public Response prepare(@Context HttpServerRequest request,
            @PathParam("rain") String rain, byte[] body) {
        Actor actor = Actor.of(callers.requireOperator(request), request);
        Violations.id("rain", rain);
        RainRequest definition = json.read(body, RainRequest.class);
        return switch (rains.prepare(rain, definition, actor)) {
            case CREATED -> prepared(rain, 201);
            case EXISTS -> prepared(rain, 200);
            case DIFFERENT -> rains.differing(rain, definition).response();
            case NOT_LOADED -> Problem.of(OutcomeCode.NOT_LOADED).response();
            case UNAVAILABLE -> Problem.of(OutcomeCode.UNAVAILABLE).response();
        };
    }

    private Response prepared(String rain, int status) {
        RainView view = views.reload(rain).join();
        Problem problem = problem(rain, view);
        if (problem != null) {
            return problem.response();
        }
        Map<String, Object> fields = new LinkedHashMap<>(view.shown().fields());
        if (view.seed() != null) {
            fields.put("seed", view.seed());
        }
        return Response.status(status).entity(json.write(fields)).build();
    }

    @Override
    public String prefix() {
        return "/v1/rains/";
    }

    @Override
    public String template() {
        return "/v1/rains/{rain}";
    }

    /** The rain and its remaining envelopes. */
    @GET
    @Path("{rain}")
    @Operation(operationId = "getRain", summary = "A rain and its remaining envelopes",
            extensions = @Extension(name = "x-problems", value = "unknown-rain not-loaded"))
    @APIResponse(responseCode = "200", description = "The rain, at most 200 ms old",
            headers = {
                @Header(name = "ETag", ref = "ETag"),
                @Header(name = "Cache-Control", ref = "Cache-Control")},
            content = @Content(schema = @Schema(implementation = RainAnswer.class)))
    @APIResponse(responseCode = "304", description = "Unchanged")
    public CompletionStage<Response> get(@PathParam("rain") String rain,
            @HeaderParam("If-None-Match") String known) {
        return answer(rain, known).thenApply(Answer::response);
    }

    @Override
    public CompletionStage<Answer> answer(String rain, @Nullable String known) {
        Violations.id("rain", rain);
        return views.fresh(rain).thenApply(view -> {
            Problem problem = problem(rain, view);
            return problem != null ? problem.answer() : view.shown().answer(known);
        });
    }

    /** All rains, newest first. */
    @GET
    @Operation(operationId = "listRains", summary = "All rains, newest first")
    @SecurityRequirement(name = "token", scopes = "operator")
    @SecurityRequirement(name = "token", scopes = "auditor")
    @APIResponse(responseCode = "200", description = "A page",
            content = @Content(schema = @Schema(implementation = RainAnswer.Page.class)))
    public CompletionStage<Response> list(@Context HttpServerRequest request,
            @QueryParam("before") String before,
            @Parameter(schema = @Schema(type = SchemaType.INTEGER, minimum = "1",
                    maximum = "100", defaultValue = "50"))
            @QueryParam("limit") String limit) {
        callers.requireAuditor(request);
        return listing.page(before, limit);
    }

    /** The highest grabs, or the users with the highest sums. */
    @GET
    @Path("{rain}/leaderboard")
    @Operation(operationId = "getLeaderboard",
            summary = "The highest grabs, or the users with the highest sums",
            extensions = @Extension(name = "x-problems", value = "unknown-rain not-loaded closed"))
    @APIResponse(responseCode = "200", description = "The ranking",
            content = @Content(schema = @Schema(implementation = RainAnswer.Board.class)))
    public CompletionStage<Response> leaderboard(@PathParam("rain") String rain,
            @Parameter(schema = @Schema(type = SchemaType.INTEGER, minimum = "1",
                    maximum = "100", defaultValue = "10"))
            @QueryParam("top") String top,
            @Parameter(schema = @Schema(enumeration = {"grab", "user"}, defaultValue = "grab"))
            @QueryParam("by") String by) {
        Violations.id("rain", rain);
        Violations violations = new Violations();
        int max = top == null ? 10
                : Violations.integer("top", top, 1, Leaderboards.ENTRIES_MAX, violations);
        Leaderboards.By ranked = "user".equals(by) ? Leaderboards.By.USER : Leaderboards.By.GRAB;
        violations.require(by == null || by.equals(ranked.text()), "by", "must be grab or user");
        violations.check();
        return leaderboards.top(rain, ranked, max).thenApply(entries -> {
            if (entries == null) {
                return Problem.of(views.absence(rain)).response();
            }
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("rain", rain);
            answer.put("by", ranked.text());
            answer.put("entries", entries);
            return Response.ok(json.write(answer)).header("Cache-Control", "no-cache").build();
        });
    }

    /** Pauses a rain. */
    @POST
    @Path("{rain}/pause")
    @Operation(operationId = "pauseRain", summary = "Pause a rain",
            extensions = @Extension(name = "x-problems", value = "unknown-rain not-loaded closed"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "200", description = "The rain",
            content = @Content(schema = @Schema(implementation = RainAnswer.class)))
    public CompletionStage<Response> pause(@Context HttpServerRequest request,
            @PathParam("rain") String rain, byte[] body) {
        return control(request, rain, body, OfferControl.Action.PAUSE);
    }

    /** Resumes a rain. */
    @POST
    @Path("{rain}/resume")
    @Operation(operationId = "resumeRain", summary = "Resume a rain",
            extensions = @Extension(name = "x-problems", value = "unknown-rain not-loaded closed"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "200", description = "The rain",
            content = @Content(schema = @Schema(implementation = RainAnswer.class)))
    public CompletionStage<Response> resume(@Context HttpServerRequest request,
            @PathParam("rain") String rain, byte[] body) {
        return control(request, rain, body, OfferControl.Action.RESUME);
    }

    /** Closes a rain for good and takes back the remaining envelopes. */
    @POST
    @Path("{rain}/close")
    @Operation(operationId = "closeRain",
            summary = "Close a rain for good and take back its envelopes",
            extensions = @Extension(name = "x-problems", value = "unknown-rain not-loaded"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "200", description = "The rain",
            content = @Content(schema = @Schema(implementation = RainAnswer.class)))
    public CompletionStage<Response> close(@Context HttpServerRequest request,
            @PathParam("rain") String rain, byte[] body) {
        return control(request, rain, body, OfferControl.Action.CLOSE);
    }

    private CompletionStage<Response> control(HttpServerRequest request, String rain, byte[] body,
            OfferControl.Action action) {
        Actor actor = Actor.of(callers.requireOperator(request), request);
        Violations.id("rain", rain);
        json.readNothing(body);
        return rains.control(rain, action, actor).thenCompose(refused -> refused != null
                ? CompletableFuture.completedFuture(refused.response())
                : views.reload(rain).thenApply(view -> {
                    Problem problem = problem(rain, view);
                    return problem != null ? problem.response() : controlled(view);
                }));
    }

    /** The rain without the time of the read, so that closing again gets the same answer. */
    private Response controlled(RainView view) {
        Map<String, Object> fields = new LinkedHashMap<>(view.shown().fields());
        fields.remove("asOf");
        return Response.ok(json.write(fields)).build();
    }

    private @Nullable Problem problem(String rain, RainView view) {
        return view == null ? Problem.of(views.absence(rain))
                : view.loaded() ? null : Problem.of(OutcomeCode.NOT_LOADED);
    }
}
