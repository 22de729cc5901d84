package dev.rush.sale;

import dev.rush.http.Json;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The ceiling: reads and writes the JSON of a purchase, and nothing between. Compiled into the
 * service by the profile {@code throughput} only.
 */
@Singleton
@Path("/v1/bench/no-op")
@Produces(MediaType.APPLICATION_JSON)
public class NoOpResource {

    private final Json json;

    @Inject
    NoOpResource(Json json) {
        this.json = json;
    }

    /** Answers like an accepted purchase of the first line. */
    @POST
    @Consumes(MediaType.APPLICATION_JSON)
    public CompletionStage<Response> purchase(byte[] body) {
        PurchaseRequest.Line line = json.read(body, PurchaseRequest.class).items().get(0);
        long quantity = line.quantity() == null ? 1 : line.quantity();
        OrderView order = new OrderView("019a0000-0000-7000-8000-000000000000", "apple-day", "711",
                "accepted", List.of(new OrderView.Item(line.sku(), quantity, 1L)),
                "2026-11-20T12:00:00.000Z", null, null, null);
        return CompletableFuture.completedFuture(Response.status(201).entity(json.write(order))
                .header("Location", "/v1/sales/apple-day/orders/" + order.order()).build());
    }
}
