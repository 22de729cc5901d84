package dev.rush.rain;

import dev.rush.http.EventStreams;
import dev.rush.http.Problem;
import dev.rush.http.Violations;
import io.vertx.ext.web.RoutingContext;
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
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** A rain's view as server-sent events. */
@Singleton
@Path("/v1/rains/{rain}/events")
@Tag(name = "Rains")
public class RainEventsResource {

    private final EventStreams streams;
    private final RainViewCache views;

    @Inject
    RainEventsResource(EventStreams streams, RainViewCache views) {
        this.streams = streams;
        this.views = views;
    }

    /** The rain now, then again on each change, at most 5 a second. */
    @GET
    @Produces(MediaType.SERVER_SENT_EVENTS)
    @Operation(operationId = "watchRain",
            summary = "A rain's state and remaining envelopes, on each change",
            description = "Server-sent events, at most five per second. The data of each is the "
                    + "rain (schema Rain) with serverTime, the current time of Redis's clock.",
            extensions = @Extension(name = "x-problems", value =
                    "unknown-rain not-loaded rate-limited"))
    @APIResponse(responseCode = "200", description = "The rain now, then on each change",
            content = @Content(mediaType = MediaType.SERVER_SENT_EVENTS,
                    schema = @Schema(implementation = String.class)))
    public CompletionStage<Response> events(
            @Context RoutingContext routing, @PathParam("rain") String rain) {
        Violations.id("rain", rain);
        return streams.open(routing, "rain " + rain,
                () -> views.fresh(rain).thenApply(view -> view == null ? null : view.shown()),
                () -> Problem.of(views.absence(rain)));
    }
}
