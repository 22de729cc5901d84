package dev.rush.reconciliation.report;

import dev.rush.http.Callers;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Violations;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
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

/** The books of rains, for operators. */
@Singleton
@Path("/v1/rains/{rain}/books")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Operators")
public class RainBooksResource {

    private final Callers callers;
    private final Reports reports;
    private final RainBooks books;

    @Inject
    RainBooksResource(Callers callers, Reports reports, RainBooks books) {
        this.callers = callers;
        this.reports = reports;
        this.books = books;
    }

    /** Whether Redis and the ledger agree on a rain. */
    @GET
    @Operation(operationId = "getRainBooks",
            summary = "The books of a rain: whether Redis and the ledger agree",
            extensions = @Extension(name = "x-problems", value = "unknown-rain not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @SecurityRequirement(name = "token", scopes = "auditor")
    @APIResponse(responseCode = "200", description = "The books",
            content = @Content(schema = @Schema(implementation = RainBooks.View.class)))
    public CompletionStage<Response> rain(
            @Context HttpServerRequest request, @PathParam("rain") String rain) {
        callers.requireAuditor(request);
        Violations.id("rain", rain);
        return reports.answer(OutcomeCode.UNKNOWN_RAIN, () -> books.of(rain));
    }
}
