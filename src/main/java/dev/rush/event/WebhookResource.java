package dev.rush.event;

import dev.rush.http.Callers;
import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.http.Violations;
import dev.rush.ledger.Actor;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerProblems;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.security.SecurityRequirement;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Webhooks and their deliveries. */
@Singleton
@Path("/v1/webhooks")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Events")
public class WebhookResource {

    private static final List<String> STATES = List.of("failed", "waiting");
    private static final String DELIVERY = "\\d{1,18}";
    private static final int PAGE = 100;
    private static final int PAGE_MAX = 1000;

    private final Callers callers;
    private final Ledger ledger;
    private final Webhooks webhooks;
    private final Receivers receivers;
    private final Json json;

    @Inject
    WebhookResource(Callers callers, Ledger ledger, Webhooks webhooks, Receivers receivers,
            Json json) {
        this.callers = callers;
        this.ledger = ledger;
        this.webhooks = webhooks;
        this.receivers = receivers;
        this.json = json;
    }

    /** All webhooks, ordered by id. */
    @GET
    @Operation(operationId = "listWebhooks", summary = "All webhooks, ordered by id",
            extensions = @Extension(name = "x-problems", value = "not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @SecurityRequirement(name = "token", scopes = "auditor")
    @APIResponse(responseCode = "200", description = "The webhooks",
            content = @Content(schema = @Schema(implementation = WebhookAnswers.Listed.class)))
    public CompletionStage<Response> list(@Context HttpServerRequest request) {
        callers.requireAuditor(request);
        requireLedger();
        return webhooks.all().thenApply(all -> ok(new WebhookAnswers.Listed(
                all.stream().map(WebhookAnswers.Shown::of).toList())));
    }

    /** A webhook. */
    @GET
    @Path("{webhook}")
    @Operation(operationId = "getWebhook", summary = "A webhook, without its secret",
            extensions = @Extension(name = "x-problems", value = "not-found not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @SecurityRequirement(name = "token", scopes = "auditor")
    @APIResponse(responseCode = "200", description = "The webhook",
            content = @Content(schema = @Schema(implementation = WebhookAnswers.Shown.class)))
    public CompletionStage<Response> get(
            @Context HttpServerRequest request, @PathParam("webhook") String id) {
        callers.requireAuditor(request);
        Violations.id("webhook", id);
        requireLedger();
        return webhooks.find(id).thenApply(found -> found == null ? notFound()
                : ok(WebhookAnswers.Shown.of(found)));
    }

    /** Creates or changes a webhook. */
    @PUT
    @Path("{webhook}")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(operationId = "putWebhook", summary = "Create or change a webhook",
            description = "A new webhook receives the events from then on. A new secret replaces "
                    + "the current one; for a day, deliveries are signed with both.",
            extensions = @Extension(name = "x-problems", value = "limit-reached not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "201", description = "The new webhook",
            content = @Content(schema = @Schema(implementation = WebhookAnswers.Shown.class)))
    @APIResponse(responseCode = "200", description = "The existing webhook",
            content = @Content(schema = @Schema(implementation = WebhookAnswers.Shown.class)))
    @RequestBody(required = true,
            content = @Content(schema = @Schema(implementation = WebhookRequest.class)))
    public CompletionStage<Response> put(@Context HttpServerRequest request,
            @PathParam("webhook") String id, byte[] body) {
        Actor actor = Actor.of(callers.requireOperator(request), request);
        Violations.id("webhook", id);
        WebhookRequest wanted = json.read(body, WebhookRequest.class);
        Violations violations = new Violations();
        wanted.check(receivers, violations);
        violations.check();
        requireLedger();
        return webhooks.put(id, wanted, actor).thenApply(put -> Response
                .status(put.isNew() ? Response.Status.CREATED : Response.Status.OK)
                .entity(json.write(WebhookAnswers.Shown.of(put.webhook()))).build());
    }

    /** Removes a webhook. */
    @DELETE
    @Path("{webhook}")
    @Produces({MediaType.APPLICATION_JSON, Problem.TYPE})
    @Operation(operationId = "deleteWebhook", summary = "Remove a webhook and its deliveries",
            extensions = @Extension(name = "x-problems", value = "not-found not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "204", description = "The webhook is removed")
    public CompletionStage<Response> delete(
            @Context HttpServerRequest request, @PathParam("webhook") String id) {
        Actor actor = Actor.of(callers.requireOperator(request), request);
        Violations.id("webhook", id);
        requireLedger();
        return webhooks.delete(id, actor).thenApply(found ->
                found ? Response.noContent().build() : notFound());
    }

    /** Waiting and failed deliveries. */
    @GET
    @Path("{webhook}/deliveries")
    @Operation(operationId = "listDeliveries",
            summary = "Waiting and failed deliveries of a webhook, newest first",
            extensions = @Extension(name = "x-problems", value = "not-found not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @SecurityRequirement(name = "token", scopes = "auditor")
    @APIResponse(responseCode = "200", description = "The deliveries",
            content = @Content(schema = @Schema(implementation = WebhookAnswers.Deliveries.class)))
    public CompletionStage<Response> deliveries(@Context HttpServerRequest request,
            @PathParam("webhook") String id,
            @Parameter(description = "Only deliveries in this state",
                    schema = @Schema(enumeration = {"failed", "waiting"}, type = SchemaType.STRING))
            @QueryParam("state") String state,
            @Parameter(schema = @Schema(type = SchemaType.INTEGER, minimum = "1",
                    maximum = "1000", defaultValue = "100"))
            @QueryParam("limit") String limit) {
        callers.requireAuditor(request);
        Violations.id("webhook", id);
        Violations violations = new Violations();
        int max = limit == null ? PAGE
                : Violations.integer("limit", limit, 1, PAGE_MAX, violations);
        violations.require(state == null || STATES.contains(state), "state",
                "must be failed or waiting");
        violations.check();
        requireLedger();
        return webhooks.deliveries(id, state == null ? STATES : List.of(state), max)
                .thenApply(found -> found == null ? notFound()
                        : ok(new WebhookAnswers.Deliveries(found)));
    }

    /** Retries a delivery at once. */
    @POST
    @Path("{webhook}/deliveries/{delivery}/redeliver")
    @Operation(operationId = "redeliver", summary = "Retry a delivery at once",
            description = "A failed delivery starts over, before later ones of its subject.",
            extensions = @Extension(name = "x-problems", value = "not-found not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "200", description = "The delivery, now waiting",
            content = @Content(schema = @Schema(implementation = WebhookAnswers.Delivered.class)))
    public CompletionStage<Response> redeliver(@Context HttpServerRequest request,
            @PathParam("webhook") String id, @PathParam("delivery") String delivery, byte[] body) {
        Actor actor = Actor.of(callers.requireOperator(request), request);
        json.readNothing(body);
        Violations.id("webhook", id);
        requireLedger();
        if (!delivery.matches(DELIVERY)) {
            throw new ProblemException(Problem.of(OutcomeCode.NOT_FOUND));
        }
        return webhooks.redeliver(id, Long.parseLong(delivery), actor).thenApply(found ->
                found == null ? notFound() : ok(found));
    }

    private void requireLedger() {
        if (!ledger.isConfigured()) {
            throw new ProblemException(LedgerProblems.notConfigured("Webhooks need"));
        }
    }

    private Response ok(Object answer) {
        return Response.ok(json.write(answer)).build();
    }

    private static Response notFound() {
        return Problem.of(OutcomeCode.NOT_FOUND).response();
    }
}
