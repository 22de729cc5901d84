package dev.rush.http.limit;

import dev.rush.http.Callers;
import dev.rush.http.Cause;
import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.Texts;
import dev.rush.http.Violations;
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
import java.util.List;
import java.util.Map;
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

/** Users who may not buy, grab or return. */
@Path("/v1/blocklist")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Operators")
public class BlocklistResource {

    private static final int PAGE_DEFAULT = 100;
    private static final int PAGE_MAX = 1_000;

    /** Blocked users, as OpenAPI describes the answer. */
    @Schema(name = "BlockedUsers", requiredProperties = "users")
    record Page(
            List<String> users,
            @Schema(description = "The path of the next page; absent on the last",
                    format = "uri-reference")
            String next) {
    }

    private final Callers callers;
    private final Blocklist blocklist;
    private final Json json;

    @Inject
    BlocklistResource(Callers callers, Blocklist blocklist, Json json) {
        this.callers = callers;
        this.blocklist = blocklist;
        this.json = json;
    }

    /** Blocked users in pages, ordered by name. */
    @GET
    @Operation(operationId = "listBlockedUsers", summary = "Blocked users, by name")
    @SecurityRequirement(name = "token", scopes = "operator")
    @SecurityRequirement(name = "token", scopes = "auditor")
    @APIResponse(responseCode = "200", description = "A page",
            content = @Content(schema = @Schema(implementation = Page.class)))
    public CompletionStage<Response> page(@Context HttpServerRequest request,
            @QueryParam("after") String after,
            @Parameter(schema = @Schema(type = SchemaType.INTEGER, minimum = "1",
                    maximum = "1000", defaultValue = "100"))
            @QueryParam("limit") String limit) {
        callers.requireAuditor(request);
        Violations violations = new Violations();
        int max = limit == null ? PAGE_DEFAULT
                : Violations.integer("limit", limit, 1, PAGE_MAX, violations);
        violations.require(after == null || Texts.isVisible(after), "after",
                "must be 1 to 128 visible ASCII characters");
        violations.check();
        return blocklist.page(after, max).thenApply(users -> {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("users", users);
            if (users.size() == max) {
                answer.put("next", "/v1/blocklist?limit=" + max + "&after="
                        + URLEncoder.encode(users.get(max - 1), StandardCharsets.UTF_8));
            }
            return Response.ok(json.write(answer)).build();
        });
    }

    /** Whether a user is blocked. */
    @GET
    @Path("{user}")
    @Produces({MediaType.APPLICATION_JSON, Problem.TYPE})
    @Operation(operationId = "findBlockedUser", summary = "Whether a user is blocked",
            extensions = @Extension(name = "x-problems", value = "not-found"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @SecurityRequirement(name = "token", scopes = "auditor")
    @APIResponse(responseCode = "204", description = "The user is blocked")
    public CompletionStage<Response> find(
            @Context HttpServerRequest request, @PathParam("user") String user) {
        callers.requireAuditor(request);
        return blocklist.find(checked(user)).thenApply(found -> found
                ? Response.noContent().build() : Problem.of(OutcomeCode.NOT_FOUND).response());
    }

    /** Blocks a user. */
    @PUT
    @Path("{user}")
    @Produces({MediaType.APPLICATION_JSON, Problem.TYPE})
    @Operation(operationId = "blockUser", summary = "Block a user")
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "204",
            description = "The user is blocked, on every pod within a second")
    public CompletionStage<Response> add(
            @Context HttpServerRequest request, @PathParam("user") String user, byte[] body) {
        String actor = callers.requireOperator(request).actor();
        String cause = Cause.of(request);
        json.readNothing(body);
        return blocklist.add(checked(user), actor, cause).thenApply(BlocklistResource::done);
    }

    /** Unblocks a user. */
    @DELETE
    @Path("{user}")
    @Produces({MediaType.APPLICATION_JSON, Problem.TYPE})
    @Operation(operationId = "unblockUser", summary = "Unblock a user")
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "204", description = "The user is not blocked")
    public CompletionStage<Response> remove(
            @Context HttpServerRequest request, @PathParam("user") String user) {
        String actor = callers.requireOperator(request).actor();
        return blocklist.remove(checked(user), actor, Cause.of(request))
                .thenApply(BlocklistResource::done);
    }

    private static Response done(Problem problem) {
        return problem == null ? Response.noContent().build() : problem.response();
    }

    private static String checked(String user) {
        return Violations.user("user", user);
    }
}
