package dev.rush.sale;

import dev.rush.RushConfig;
import dev.rush.http.Caller;
import dev.rush.http.Callers;
import dev.rush.http.Json;
import dev.rush.http.Problem;
import dev.rush.http.Texts;
import dev.rush.http.Violations;
import dev.rush.http.Word;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Orders of a sale. */
@Singleton
@Path("/v1/sales/{sale}/orders")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Orders")
public class OrderResource {

    private static final int LIST_MAX = 100;

    private final Callers callers;
    private final Orders orders;
    private final SaleViews views;
    private final Json json;
    private final boolean byBuyer;

    @Inject
    OrderResource(Callers callers, Orders orders, SaleViews views, Json json, RushConfig config) {
        this.callers = callers;
        this.orders = orders;
        this.views = views;
        this.json = json;
        this.byBuyer = config.confirmBy() == RushConfig.ConfirmBy.BUYER;
    }

    /** An order, from the moment it was accepted. */
    @GET
    @Path("{order}")
    @Operation(summary = "An order, from the moment it was accepted")
    public CompletionStage<Response> get(@Context HttpServerRequest request,
            @PathParam("sale") String sale, @PathParam("order") String order) {
        Caller caller = callers.require(request);
        Violations.id("sale", sale);
        if (!Texts.isId(order)) {
            throw Problem.of(Word.UNKNOWN_ORDER).exception();
        }
        return orders.find(sale, order).thenApply(found ->
                found == null || !caller.mayActFor(found.user())
                        ? Problem.of(Word.UNKNOWN_ORDER).response()
                        : Response.ok(json.write(found)).build());
    }

    /** The caller's orders; an operator may ask for anyone's. */
    @GET
    @Operation(summary = "The caller's orders, newest first")
    public CompletionStage<Response> list(@Context HttpServerRequest request,
            @PathParam("sale") String sale, @QueryParam("user") String user) {
        Caller caller = callers.require(request);
        Violations.id("sale", sale);
        String owner = user == null ? caller.user() : user;
        if (!Texts.isVisible(owner)) {
            throw Violations.problem("user", "must be 1 to 128 visible ASCII characters")
                    .exception();
        }
        if (!caller.mayActFor(owner)) {
            throw Problem.of(Word.FORBIDDEN).exception();
        }
        return views.fresh(sale).thenCompose(view -> {
            if (view == null && views.absence(sale) == Word.UNKNOWN_SALE) {
                throw Problem.of(Word.UNKNOWN_SALE).exception();
            }
            return orders.of(sale, owner, LIST_MAX).thenApply(found ->
                    Response.ok(json.write(Map.of("orders", found))).build());
        });
    }

    /** Says that an order is paid. */
    @POST
    @Path("{order}/confirm")
    @Operation(summary = "Say that an order is paid (whoever rush.confirm-by names)")
    public CompletionStage<Response> confirm(@Context HttpServerRequest request,
            @PathParam("sale") String sale, @PathParam("order") String order, byte[] body) {
        Caller caller = byBuyer ? callers.require(request) : callers.requireOperator(request);
        Violations.id("sale", sale);
        json.readNothing(body);
        return orders.confirm(sale, order, caller.operator() ? null : caller.user())
                .thenApply(confirmation -> confirmation.problem() != null
                        ? confirmation.problem().response()
                        : Response.ok(json.write(confirmation.order())).build());
    }
}
