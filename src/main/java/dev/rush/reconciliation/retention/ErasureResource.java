package dev.rush.reconciliation.retention;

import dev.rush.http.Callers;
import dev.rush.http.Json;
import dev.rush.ledger.Actor;
import dev.rush.reconciliation.report.Reports;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
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

/** Erasing a user's personal data, for operators. */
@Singleton
@Path("/v1/erasures")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Operators")
public class ErasureResource {

    private final Callers callers;
    private final Reports reports;
    private final Erasure erasure;
    private final Json json;

    @Inject
    ErasureResource(Callers callers, Reports reports, Erasure erasure, Json json) {
        this.callers = callers;
        this.reports = reports;
        this.erasure = erasure;
        this.json = json;
    }

    /** Replaces a user with a pseudonym. */
    @POST
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(operationId = "eraseUser", summary = "Erase the personal data of a user",
            description = "Replaces the user by a pseudonym in all retired sales and rains, and "
                    + "lists those that are not retired yet",
            extensions = @Extension(name = "x-problems", value = "not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "200", description = "What was erased, and what has to wait",
            content = @Content(schema = @Schema(implementation = Erasure.Erased.class)))
    @RequestBody(content = @Content(schema = @Schema(implementation = ErasureRequest.class)))
    public CompletionStage<Response> erase(@Context HttpServerRequest request, byte[] body) {
        Actor actor = Actor.of(callers.requireOperator(request), request);
        ErasureRequest wanted = json.read(body, ErasureRequest.class);
        wanted.check();
        return reports.answer("Erasing needs", () -> erasure.erase(wanted.user(), actor));
    }
}
