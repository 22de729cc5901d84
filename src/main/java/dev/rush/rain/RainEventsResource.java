package dev.rush.rain;

import dev.rush.http.EventStreams;
import dev.rush.http.Problem;
import dev.rush.http.Violations;
import dev.rush.http.Word;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NameBinding;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.charset.StandardCharsets;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestStreamElementType;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;

/** What is left of a rain, told as it changes. Scoped so that its filter may be made early. */
@ApplicationScoped
@Path("/v1/rains/{rain}/events")
@Tag(name = "Rains")
public class RainEventsResource {

    private final RainViews views;

    @Inject
    RainEventsResource(RainViews views) {
        this.views = views;
    }

    /** Marks the call whose rain must be known before its stream begins. */
    @NameBinding
    @Retention(RetentionPolicy.RUNTIME)
    @interface OfKnownRain {
    }

    /** A stream cannot turn into a problem once it has begun, so this looks first. */
    @OfKnownRain
    @ServerRequestFilter
    public Uni<Response> refusal(UriInfo uri) {
        String rain = Violations.id("rain", uri.getPathParameters().getFirst("rain"));
        return Uni.createFrom().completionStage(() -> views.fresh(rain)).map(view ->
                view == null ? Problem.of(views.absence(rain)).response() : null);
    }

    /** The rain now, then again on each change, at most 5 a second. */
    @GET
    @OfKnownRain
    @Produces(MediaType.SERVER_SENT_EVENTS)
    @RestStreamElementType(MediaType.APPLICATION_JSON)
    @Operation(summary = "What is left and the state, on change (server-sent events)")
    public Multi<String> events(@PathParam("rain") String rain) {
        return EventStreams.onChange(() -> views.fresh(rain), view -> view.shown().etag(),
                view -> new String(view.shown().body(), StandardCharsets.UTF_8));
    }
}
