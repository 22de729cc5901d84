package dev.rush.http;

import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Inject;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Who may neither buy nor grab. */
@Path("/v1/blocklist")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Operators")
public class BlocklistResource {

    private final Callers callers;
    private final Blocklist blocklist;
    private final Json json;

    @Inject
    BlocklistResource(Callers callers, Blocklist blocklist, Json json) {
        this.callers = callers;
        this.blocklist = blocklist;
        this.json = json;
    }

    /** All blocked users. */
    @GET
    @Operation(summary = "All blocked users")
    public CompletionStage<Response> all(@Context HttpServerRequest request) {
        callers.requireAuditor(request);
        return blocklist.all()
                .thenApply(users -> Response.ok(json.write(Map.of("users", users))).build());
    }

    /** Whether a user is blocked. */
    @GET
    @Path("{user}")
    @Operation(summary = "204 if the user is blocked, else 404")
    public CompletionStage<Response> find(
            @Context HttpServerRequest request, @PathParam("user") String user) {
        callers.requireAuditor(request);
        return blocklist.find(checked(user)).thenApply(found -> found
                ? Response.noContent().build() : Problem.of(Word.NOT_FOUND).response());
    }

    /** Blocks a user. */
    @PUT
    @Path("{user}")
    @Operation(summary = "Block a user")
    public CompletionStage<Response> add(
            @Context HttpServerRequest request, @PathParam("user") String user, byte[] body) {
        callers.requireOperator(request);
        json.readNothing(body);
        return blocklist.add(checked(user)).thenApply(done -> Response.noContent().build());
    }

    /** Lets a user in again. */
    @DELETE
    @Path("{user}")
    @Operation(summary = "Let a user in again")
    public CompletionStage<Response> remove(
            @Context HttpServerRequest request, @PathParam("user") String user) {
        callers.requireOperator(request);
        return blocklist.remove(checked(user)).thenApply(done -> Response.noContent().build());
    }

    private static String checked(String user) {
        return Violations.user("user", user);
    }
}
