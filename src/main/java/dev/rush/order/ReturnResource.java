package dev.rush.order;

import dev.rush.http.Answer;
import dev.rush.http.Caller;
import dev.rush.http.Callers;
import dev.rush.http.Cause;
import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.http.Violations;
import dev.rush.http.limit.Admission;
import dev.rush.ledger.Actor;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerProblems;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Consumes;
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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.security.SecurityRequirement;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Returns of a sale's orders. */
@Singleton
@Path("/v1/sales/{sale}/returns")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Orders")
public class ReturnResource {

    private static final Set<String> STATES = Set.of("parked", "alarmed", "returned", "void");
    private static final int PAGE = 100;
    private static final int PAGE_MAX = 1000;

    private final Callers callers;
    private final Admission admission;
    private final Ledger ledger;
    private final Returns returns;
    private final Json json;

    @Inject
    ReturnResource(Callers callers, Admission admission, Ledger ledger, Returns returns,
            Json json) {
        this.callers = callers;
        this.admission = admission;
        this.ledger = ledger;
        this.returns = returns;
        this.json = json;
    }

    /** Returns an order. */
    @POST
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(operationId = "returnOrder",
            summary = "Return an order, by its id or by the purchase's idempotency key",
            extensions = @Extension(name = "x-problems", value =
                    "blocked unknown-sale unknown-order order-expired rejected "
                    + "limit-reached not-implemented"))
    @Parameter(name = Cause.NAME, in = ParameterIn.QUERY,
            schema = @Schema(type = SchemaType.STRING))
    @SecurityRequirement(name = "token")
    @APIResponse(responseCode = "200", description = "The order is returned",
            content = @Content(schema = @Schema(implementation = ReturnView.class)))
    @APIResponse(responseCode = "202", description = "The return waits for its order",
            content = @Content(schema = @Schema(implementation = ReturnView.class)))
    @RequestBody(content = @Content(schema = @Schema(implementation = ReturnRequest.class)))
    public CompletionStage<Response> giveBack(@Context HttpServerRequest request,
            @PathParam("sale") String sale, @QueryParam("user") @Nullable String user,
            byte @Nullable [] body) {
        Caller caller = callers.require(request);
        Violations.id("sale", sale);
        if (user != null && !caller.mayActFor(Violations.user("user", user))) {
            throw new ProblemException(Problem.of(OutcomeCode.UNKNOWN_ORDER));
        }
        ReturnRequest wanted = json.read(body, ReturnRequest.class);
        wanted.check();
        Answer refusal = ledger.isConfigured() ? admission.refusal(caller)
                : notConfigured().answer();
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal.response());
        }
        Caller owner = user == null ? caller : Caller.actingFor(user, false);
        Actor actor = Actor.of(caller, request);
        return (wanted.order() != null ? returns.byOrder(sale, owner, actor, wanted.order())
                : returns.byKey(sale, owner, actor, wanted.key()))
                .thenApply(result -> result.response(json));
    }

    /** Returns in a state, newest first. */
    @GET
    @Operation(operationId = "listReturns", summary = "Returns in a state, newest first",
            extensions = @Extension(name = "x-problems", value = "unknown-sale not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @SecurityRequirement(name = "token", scopes = "auditor")
    @APIResponse(responseCode = "200", description = "The returns",
            content = @Content(schema = @Schema(implementation = ReturnView.Page.class)))
    public CompletionStage<Response> list(@Context HttpServerRequest request,
            @PathParam("sale") String sale,
            @Parameter(schema = @Schema(enumeration = {"parked", "alarmed", "returned", "void"},
                    defaultValue = "parked"))
            @QueryParam("state") @Nullable String state,
            @Parameter(schema = @Schema(type = SchemaType.INTEGER, minimum = "1",
                    maximum = "1000", defaultValue = "100"))
            @QueryParam("limit") @Nullable String limit) {
        callers.requireAuditor(request);
        Violations.id("sale", sale);
        Violations violations = new Violations();
        String wanted = state == null ? "parked" : state;
        violations.require(STATES.contains(wanted), "state",
                "must be parked, alarmed, returned or void");
        int max = limit == null ? PAGE
                : Violations.integer("limit", limit, 1, PAGE_MAX, violations);
        violations.check();
        if (!ledger.isConfigured()) {
            return CompletableFuture.completedFuture(notConfigured().response());
        }
        return returns.list(sale, wanted, max).thenApply(found -> found == null
                ? Problem.of(OutcomeCode.UNKNOWN_SALE).response()
                : Response.ok(json.write(Map.of("returns", found))).build());
    }

    private static Problem notConfigured() {
        return LedgerProblems.notConfigured("Returns need");
    }
}
