package dev.rush.http;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** The page behind the type of a problem. */
@Path("/problems")
@Tag(name = "Problems")
public class ProblemResource {

    /** The page of an outcome code. */
    @GET
    @Path("{code}")
    @Produces("text/html;charset=UTF-8")
    @Operation(operationId = "explainProblem", summary = "What a problem means",
            extensions = @Extension(name = "x-problems", value = "not-found"))
    @APIResponse(responseCode = "200", description = "A short page",
            content = @Content(mediaType = MediaType.TEXT_HTML,
                    schema = @Schema(type = SchemaType.STRING)))
    public Response page(@PathParam("code") String text) {
        String page = ProblemPages.of(text);
        return page == null ? Problem.of(OutcomeCode.NOT_FOUND).response()
                : Response.ok(page).header("Cache-Control", "public, max-age=86400")
                        .header("Content-Security-Policy", "default-src 'none'").build();
    }
}
