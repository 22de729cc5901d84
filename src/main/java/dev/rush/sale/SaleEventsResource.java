package dev.rush.sale;

import dev.rush.http.EventStreams;
import dev.rush.http.Problem;
import dev.rush.http.Violations;
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

/** What is left of a sale, told as it changes. Scoped so that its filter may be made early. */
@ApplicationScoped
@Path("/v1/sales/{sale}/events")
@Tag(name = "Sales")
public class SaleEventsResource {

    private final SaleViews views;

    @Inject
    SaleEventsResource(SaleViews views) {
        this.views = views;
    }

    /** Marks the call whose sale must be known before its stream begins. */
    @NameBinding
    @Retention(RetentionPolicy.RUNTIME)
    @interface OfKnownSale {
    }

    /** A stream cannot turn into a problem once it has begun, so this looks first. */
    @OfKnownSale
    @ServerRequestFilter
    public Uni<Response> refusal(UriInfo uri) {
        String sale = Violations.id("sale", uri.getPathParameters().getFirst("sale"));
        return Uni.createFrom().completionStage(() -> views.fresh(sale)).map(view ->
                view == null ? Problem.of(views.absence(sale)).response() : null);
    }

    /** The sale now, then again on each change, at most 5 a second. */
    @GET
    @OfKnownSale
    @Produces(MediaType.SERVER_SENT_EVENTS)
    @RestStreamElementType(MediaType.APPLICATION_JSON)
    @Operation(summary = "What is left and the state, on change (server-sent events)")
    public Multi<String> events(@PathParam("sale") String sale) {
        return EventStreams.onChange(() -> views.fresh(sale), view -> view.shown().etag(),
                view -> new String(view.shown().body(), StandardCharsets.UTF_8));
    }
}
