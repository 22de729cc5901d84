package dev.rush.reconciliation.repair;

import dev.rush.http.Callers;
import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Violations;
import dev.rush.ledger.Actor;
import dev.rush.reconciliation.report.Reports;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.security.SecurityRequirement;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Reservations on hold, for operators. */
@Singleton
@Path("/v1/sales/{sale}/holds")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Operators")
public class HoldResource {

    private final Callers callers;
    private final Reports reports;
    private final Holds holds;
    private final Json json;

    @Inject
    HoldResource(Callers callers, Reports reports, Holds holds, Json json) {
        this.callers = callers;
        this.reports = reports;
        this.holds = holds;
        this.json = json;
    }

    /** Lists reservations on hold. */
    @GET
    @Operation(operationId = "listHolds", summary = "Reservations of a sale that are on hold",
            extensions = @Extension(name = "x-problems", value = "unknown-sale not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @SecurityRequirement(name = "token", scopes = "auditor")
    @APIResponse(responseCode = "200", description = "The reservations, earliest deadline first",
            content = @Content(schema = @Schema(implementation = Holds.Page.class)))
    public CompletionStage<Response> list(@Context HttpServerRequest request,
            @PathParam("sale") String sale) {
        callers.requireAuditor(request);
        Violations.id("sale", sale);
        return reports.answer(OutcomeCode.UNKNOWN_SALE, () -> holds.of(sale));
    }

    /** Releases one reservation on hold, or all of a sale. */
    @POST
    @Path("release")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(operationId = "releaseHolds",
            summary = "Let reservations that are on hold expire again",
            extensions = @Extension(name = "x-problems",
                    value = "unknown-sale unknown-order not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "200", description = "How many were released",
            content = @Content(schema = @Schema(implementation = Holds.Released.class)))
    @RequestBody(required = false,
            content = @Content(schema = @Schema(implementation = HoldRequest.class)))
    public CompletionStage<Response> release(@Context HttpServerRequest request,
            @PathParam("sale") String sale, byte @Nullable [] body) {
        Actor actor = Actor.of(callers.requireOperator(request), request);
        Violations.id("sale", sale);
        HoldRequest named = json.readOptional(body, HoldRequest.class);
        HoldRequest wanted = named == null ? HoldRequest.ALL : named;
        wanted.check();
        return reports.answer(OutcomeCode.UNKNOWN_SALE, () -> holds.release(sale, wanted, actor));
    }
}
