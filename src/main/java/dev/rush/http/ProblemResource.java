package dev.rush.http;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** The page behind the type of a problem. */
@Path("/problems")
@Tag(name = "Problems")
public class ProblemResource {

    /** A short page about a word. */
    @GET
    @Path("{word}")
    @Produces(MediaType.TEXT_HTML)
    @Operation(summary = "What a problem means")
    public Response page(@PathParam("word") String text) {
        Word word = Word.find(text);
        if (word == null || !word.isProblem()) {
            return Problem.of(Word.NOT_FOUND).response();
        }
        return Response.ok("""
                <!doctype html><html lang="en"><meta charset="utf-8"><title>%1$s</title>
                <h1>%1$s</h1><p>%2$s.</p><p>HTTP status %3$d.</p></html>
                """.formatted(word.text(), word.title(), word.status())).build();
    }
}
