package dev.rush.event;

import dev.rush.http.Callers;
import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.Violations;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerProblems;
import io.quarkus.runtime.annotations.RegisterForReflection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

/** The feed of events of orders, grabs, sales and rains. */
@Singleton
@Path("/v1/events")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Events")
public class EventResource {

    private static final int PAGE = 500;
    private static final int PAGE_MAX = 1000;
    private static final int WAIT_MAX = 30;
    private static final String NOW = "now";
    private static final String DECIMAL_ZERO = "0";

    private final Callers callers;
    private final Ledger ledger;
    private final EventFeed feed;
    private final Json json;

    /** A page of the feed. */
    @RegisterForReflection
    @Schema(name = "Events", requiredProperties = {"events", "next"})
    record Page(
            @Schema(description = "In order; empty if none occurred in time")
            List<CloudEvent> events,
            @Schema(description = "The cursor to continue with", examples = "2.kf1.1z141zj")
            String next) {
    }

    @Inject
    EventResource(Callers callers, Ledger ledger, EventFeed feed, Json json) {
        this.callers = callers;
        this.ledger = ledger;
        this.feed = feed;
        this.json = json;
    }

    /** Events after a cursor, or the next ones if the call waits. */
    @GET
    @Operation(operationId = "listEvents", summary = "Events after a cursor",
            description = "Without a cursor, from the first event on; after=now returns no "
                    + "events, only a cursor after the newest one. No event is skipped, even if "
                    + "it is committed after later ones. After a failover of PostgreSQL, events "
                    + "may come again, with the same ids. If there are no events, the call waits "
                    + "up to wait seconds for the next.",
            extensions = @Extension(name = "x-problems",
                    value = "cursor-expired not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @SecurityRequirement(name = "token", scopes = "auditor")
    @APIResponse(responseCode = "200", description = "The events, in order",
            content = @Content(schema = @Schema(implementation = Page.class)))
    public CompletionStage<Response> list(@Context HttpServerRequest request,
            @Context RoutingContext routing,
            @QueryParam("after") String after,
            @Parameter(schema = @Schema(type = SchemaType.INTEGER, minimum = "1",
                    maximum = "1000", defaultValue = "500"))
            @QueryParam("limit") String limit,
            @Parameter(description = "Seconds to wait for the next event if there is none",
                    schema = @Schema(type = SchemaType.INTEGER, minimum = "0",
                    maximum = "30", defaultValue = "0"))
            @QueryParam("wait") String wait) {
        callers.requireAuditor(request);
        Violations violations = new Violations();
        int max = limit == null ? PAGE
                : Violations.integer("limit", limit, 1, PAGE_MAX, violations);
        int seconds = Violations.integer(
                "wait", wait == null ? DECIMAL_ZERO : wait, 0, WAIT_MAX, violations);
        boolean fromNow = NOW.equals(after);
        Cursor cursor = after == null || fromNow ? Cursor.BEGINNING : Cursor.parse(after);
        violations.require(cursor != null, "after", "must be a cursor from an earlier answer");
        violations.check();
        if (!ledger.isConfigured()) {
            return CompletableFuture.completedFuture(
                    LedgerProblems.notConfigured("The feed needs").response());
        }
        CompletableFuture<Void> ended = new CompletableFuture<>();
        routing.addEndHandler(end -> ended.complete(null));
        return (fromNow ? feed.now() : feed.after(
                Objects.requireNonNull(cursor), max, seconds, ended)).thenApply(found ->
                found.isExpired()
                        ? Problem.of(OutcomeCode.CURSOR_EXPIRED,
                                "Start again from oldest, or from a cursor that is still valid.",
                                Map.of("oldest", found.next().text())).response()
                        : Response.ok(json.write(
                                new Page(found.events(), found.next().text()))).build());
    }
}
