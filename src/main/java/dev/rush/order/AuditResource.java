package dev.rush.order;

import dev.rush.http.Callers;
import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.Violations;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerProblems;
import dev.rush.ledger.Position;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
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
import org.jspecify.annotations.Nullable;

/** The audit: who changed what. */
@Singleton
@Path("/v1/audit")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Operators")
public class AuditResource {

    private static final int PAGE = 100;
    private static final int PAGE_MAX = 1000;

    private final Callers callers;
    private final Ledger ledger;
    private final AuditPages pages;
    private final Json json;

    @Inject
    AuditResource(Callers callers, Ledger ledger, AuditPages pages, Json json) {
        this.callers = callers;
        this.ledger = ledger;
        this.pages = pages;
        this.json = json;
    }

    /** Changes after a position, oldest first. */
    @GET
    @Operation(operationId = "listChanges",
            summary = "Changes by operators, payers and the service, oldest first",
            description = "Changes that buyers make to their own orders are not listed; an order's "
                    + "history has them. A cursor can be kept forever: no change is missed, "
                    + "even if it is committed after later ones, except of orders whose month "
                    + "was archived.",
            extensions = @Extension(name = "x-problems", value = "cursor-expired not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @SecurityRequirement(name = "token", scopes = "auditor")
    @APIResponse(responseCode = "200", description = "A page",
            content = @Content(schema = @Schema(implementation = AuditPages.Page.class)))
    public CompletionStage<Response> list(@Context HttpServerRequest request,
            @QueryParam("after") @Nullable String after,
            @Parameter(schema = @Schema(type = SchemaType.INTEGER, minimum = "1",
                    maximum = "1000", defaultValue = "100"))
            @QueryParam("limit") @Nullable String limit) {
        callers.requireAuditor(request);
        Violations violations = new Violations();
        Position position = after == null ? Position.START : position(after, violations);
        int max = limit == null ? PAGE
                : Violations.integer("limit", limit, 1, PAGE_MAX, violations);
        violations.check();
        if (!ledger.isConfigured()) {
            return CompletableFuture.completedFuture(
                    LedgerProblems.notConfigured("The record of changes needs").response());
        }
        return pages.after(position, max).thenApply(page -> page == null
                ? Problem.of(OutcomeCode.CURSOR_EXPIRED,
                        "A restore of the ledger undid this position.",
                        Map.of("oldest", Position.START.text())).response()
                : Response.ok(json.write(page)).build());
    }

    /** The position of a cursor; the start with a violation if it is malformed. */
    private static Position position(String cursor, Violations violations) {
        Position position = Position.parse(cursor);
        violations.require(position != null, "after", "must be the next cursor of a page");
        return position == null ? Position.START : position;
    }
}
