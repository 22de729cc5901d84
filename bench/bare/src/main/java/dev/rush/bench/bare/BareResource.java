package dev.rush.bench.bare;

import io.smallrye.common.annotation.NonBlocking;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import java.util.List;

/**
 * Quarkus without the service: typed JSON in and out, on the event loop.
 */
@Path("/")
public class BareResource {

    private static final Order ORDER = new Order("019a0000-0000-7000-8000-000000000000",
            "apple-day", "711", "accepted", List.of(new Item("unit", 1, 1)),
            "2026-11-20T12:00:00.000Z");

    /** The body of a purchase. */
    public record Purchase(List<Line> items) {
    }

    /** One line of a purchase. */
    public record Line(String sku, long quantity) {
    }

    /** The answer to a purchase. */
    public record Order(String order, String sale, String user, String status, List<Item> items,
            String placedAt) {
    }

    /** One item of an order. */
    public record Item(String sku, long quantity, long left) {
    }

    /** Answers like an accepted purchase of the first line. */
    @POST
    @Path("no-op")
    @NonBlocking
    public Order purchase(Purchase purchase) {
        Line line = purchase.items().get(0);
        return new Order(ORDER.order(), ORDER.sale(), ORDER.user(), ORDER.status(),
                List.of(new Item(line.sku(), line.quantity(), 1)), ORDER.placedAt());
    }

    /** Answers like a view of a sale. */
    @GET
    @Path("no-op")
    @NonBlocking
    public Order read() {
        return ORDER;
    }
}
