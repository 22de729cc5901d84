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

/** The books of sales, for operators. */
@Singleton
@Path("/v1/sales/{sale}/books")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Operators")
public class BooksResource {

    private final Callers callers;
    private final Reports reports;
    private final Books books;

    @Inject
    BooksResource(Callers callers, Reports reports, Books books) {
        this.callers = callers;
        this.reports = reports;
        this.books = books;
    }

    /** Whether Redis and the ledger agree on a sale. */
    @GET
    @Operation(operationId = "getSaleBooks",
            summary = "The books of a sale: whether Redis and the ledger agree",
            extensions = @Extension(name = "x-problems", value = "unknown-sale not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @SecurityRequirement(name = "token", scopes = "auditor")
    @APIResponse(responseCode = "200", description = "The books",
            content = @Content(schema = @Schema(implementation = SaleBooks.class)))
    public CompletionStage<Response> sale(
            @Context HttpServerRequest request, @PathParam("sale") String sale) {
        callers.requireAuditor(request);
        Violations.id("sale", sale);
        return reports.answer(OutcomeCode.UNKNOWN_SALE, () -> books.of(sale));
    }
}
