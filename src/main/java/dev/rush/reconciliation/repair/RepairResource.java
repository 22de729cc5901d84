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
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.security.SecurityRequirement;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Repairs of sales, for operators. */
@Singleton
@Path("/v1/sales/{sale}/books/repair")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Operators")
public class RepairResource {

    private final Callers callers;
    private final Reports reports;
    private final Repairs repairs;
    private final Json json;

    @Inject
    RepairResource(Callers callers, Reports reports, Repairs repairs, Json json) {
        this.callers = callers;
        this.reports = reports;
        this.repairs = repairs;
        this.json = json;
    }

    /** Repairs what the books report. */
    @POST
    @Operation(operationId = "repairSale", summary = "Repair the discrepancies in the books of a "
            + "sale",
            extensions = @Extension(name = "x-problems", value = "unknown-sale not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "200", description = "The actions, and the books after them",
            content = @Content(schema = @Schema(implementation = Repairs.Report.class)))
    public CompletionStage<Response> repair(@Context HttpServerRequest request,
            @PathParam("sale") String sale, byte @Nullable [] body) {
        Actor actor = Actor.of(callers.requireOperator(request), request);
        Violations.id("sale", sale);
        json.readNothing(body);
        return reports.answer(OutcomeCode.UNKNOWN_SALE, () -> repairs.repair(sale, actor));
    }
}
