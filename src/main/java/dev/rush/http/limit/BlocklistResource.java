package dev.rush.http.limit;

import dev.rush.http.Callers;
import dev.rush.http.Json;
import dev.rush.http.Problem;
import dev.rush.http.Texts;
import dev.rush.http.Violations;
import dev.rush.http.Word;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Inject;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Who may neither buy nor grab. */
@Path("/v1/blocklist")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Operators")
public class BlocklistResource {

    private static final int PAGE_DEFAULT = 100;
    private static final int PAGE_MAX = 1_000;

    private final Callers callers;
    private final Blocklist blocklist;
    private final Json json;

    @Inject
    BlocklistResource(Callers callers, Blocklist blocklist, Json json) {
        this.callers = callers;
        this.blocklist = blocklist;
        this.json = json;
    }

    /** Blocked users in the order of their names, in pages. */
    @GET
    @Operation(summary = "Blocked users, paged")
    public CompletionStage<Response> page(@Context HttpServerRequest request,
            @QueryParam("after") String after, @QueryParam("limit") String limit) {
        callers.requireAuditor(request);
        Violations violations = new Violations();
        int most = limit == null ? PAGE_DEFAULT
                : Violations.integer("limit", limit, 1, PAGE_MAX, violations);
        violations.require(after == null || Texts.isVisible(after), "after",
                "must be 1 to 128 visible ASCII characters");
        violations.check();
        return blocklist.page(after, most).thenApply(users -> {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("users", users);
            if (users.size() == most) {
                answer.put("next", "/v1/blocklist?limit=" + most + "&after="
                        + URLEncoder.encode(users.get(most - 1), StandardCharsets.UTF_8));
            }
            return Response.ok(json.write(answer)).build();
        });
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
        String actor = callers.requireOperator(request).actor();
        json.readNothing(body);
        return blocklist.add(checked(user), actor).thenApply(BlocklistResource::done);
    }

    /** Lets a user in again. */
    @DELETE
    @Path("{user}")
    @Operation(summary = "Let a user in again")
    public CompletionStage<Response> remove(
            @Context HttpServerRequest request, @PathParam("user") String user) {
        String actor = callers.requireOperator(request).actor();
        return blocklist.remove(checked(user), actor).thenApply(BlocklistResource::done);
    }

    private static Response done(Problem problem) {
        return problem == null ? Response.noContent().build() : problem.response();
    }

    private static String checked(String user) {
        return Violations.user("user", user);
    }
}
