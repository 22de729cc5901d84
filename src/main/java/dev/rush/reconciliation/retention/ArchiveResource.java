package dev.rush.reconciliation.retention;

import dev.rush.http.Callers;
import dev.rush.http.Json;
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

/** Months of the ledger, for operators. */
@Singleton
@Path("/v1/ledger/months/{month}/archive")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Operators")
public class ArchiveResource {

    private final Callers callers;
    private final Reports reports;
    private final Archive archive;
    private final Json json;

    @Inject
    ArchiveResource(Callers callers, Reports reports, Archive archive, Json json) {
        this.callers = callers;
        this.reports = reports;
        this.archive = archive;
        this.json = json;
    }

    /** Takes a month out of the ledger. */
    @POST
    @Operation(operationId = "archiveMonth",
            summary = "Move the orders and grabs of a month out of the ledger",
            description = "Possible once all sales and rains that were prepared in that month are "
                    + "retired, and all webhooks, and Kafka if it was ever fed, have read its "
                    + "events. The tables move to the schema archive. Repeating the call changes "
                    + "nothing",
            extensions = @Extension(name = "x-problems", value = "not-retired not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "200", description = "What the archive contains of the month",
            content = @Content(schema = @Schema(implementation = Archive.Month.class)))
    public CompletionStage<Response> archive(@Context HttpServerRequest request,
            @PathParam("month") String month, byte[] body) {
        Actor actor = Actor.of(callers.requireOperator(request), request);
        Archive.month(month);
        json.readNothing(body);
        return reports.answer("Archiving needs", () -> archive.archive(month, actor));
    }
}
