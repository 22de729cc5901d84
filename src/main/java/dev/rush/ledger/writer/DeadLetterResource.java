package dev.rush.ledger.writer;

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
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.security.SecurityRequirement;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Accepted orders and grabs that the ledger could not store. */
@Singleton
@Path("/v1/dead-letters")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Operators")
public class DeadLetterResource {

    private static final int PAGE = 50;
    private static final int PAGE_MAX = 1000;
    private static final String ID = "\\d{1,18}";

    private final Callers callers;
    private final Ledger ledger;
    private final DeadLetters deadLetters;
    private final Json json;

    @Inject
    DeadLetterResource(Callers callers, Ledger ledger, DeadLetters deadLetters, Json json) {
        this.callers = callers;
        this.ledger = ledger;
        this.deadLetters = deadLetters;
        this.json = json;
    }

    /** Waiting dead letters, newest first. */
    @GET
    @Operation(operationId = "listDeadLetters", summary = "Waiting dead letters, newest first",
            extensions = @Extension(name = "x-problems", value = "not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @SecurityRequirement(name = "token", scopes = "auditor")
    @APIResponse(responseCode = "200", description = "The dead letters",
            content = @Content(schema = @Schema(implementation = DeadLetterAnswer.Page.class)))
    public CompletionStage<Response> list(
            @Context HttpServerRequest request,
            @Parameter(schema = @Schema(type = SchemaType.INTEGER, minimum = "1",
                    maximum = "1000", defaultValue = "50"))
            @QueryParam("limit") String limit) {
        callers.requireAuditor(request);
        Violations violations = new Violations();
        int max = limit == null ? PAGE
                : Violations.integer("limit", limit, 1, PAGE_MAX, violations);
        violations.check();
        requireLedger();
        return deadLetters.list(max).thenApply(letters ->
                Response.ok(json.write(Map.of("deadLetters", letters))).build());
    }

    /** Puts a dead letter back into its stream. */
    @POST
    @Path("{id}/replay")
    @Operation(operationId = "replayDeadLetter", summary = "Put a dead letter back into its stream",
            extensions = @Extension(name = "x-problems", value = "not-found not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "200", description = "The entry is in its stream again",
            content = @Content(schema = @Schema(implementation = DeadLetterAnswer.Replayed.class)))
    public CompletionStage<Response> replay(
            @Context HttpServerRequest request, @PathParam("id") String id, byte[] body) {
        Actor actor = Actor.of(callers.requireOperator(request), request);
        json.readNothing(body);
        requireLedger();
        if (!id.matches(ID)) {
            return CompletableFuture.completedFuture(Problem.of(OutcomeCode.NOT_FOUND).response());
        }
        return deadLetters.replay(Long.parseLong(id), actor).thenApply(found -> found
                ? Response.ok(json.write(Map.of("id", id, "state", "replayed"))).build()
                : Problem.of(OutcomeCode.NOT_FOUND).response());
    }

    private void requireLedger() {
        if (!ledger.isConfigured()) {
            throw new ProblemException(LedgerProblems.notConfigured("Dead letters need"));
        }
    }
}
