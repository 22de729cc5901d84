package dev.rush.sale;

import dev.rush.http.Caller;
import dev.rush.http.Callers;
import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.http.Texts;
import dev.rush.http.Violations;
import dev.rush.ledger.Actor;
import dev.rush.ledger.Payment;
import dev.rush.order.ConfirmRequest;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.security.SecurityRequirement;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Orders of a sale. */
@Singleton
@Path("/v1/sales/{sale}/orders")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Orders")
public class OrderResource {

    private static final int LIST_MAX = 100;

    private final Callers callers;
    private final Orders orders;
    private final OrderWaits waits;
    private final OrderListing listing;
    private final OrderExport export;
    private final SaleViewCache views;
    private final Json json;

    @Inject
    OrderResource(Callers callers, Orders orders, OrderWaits waits, OrderListing listing,
            OrderExport export, SaleViewCache views, Json json) {
        this.callers = callers;
        this.orders = orders;
        this.waits = waits;
        this.listing = listing;
        this.export = export;
        this.views = views;
        this.json = json;
    }

    /** An order, from the moment it was accepted. */
    @GET
    @Path("{order}")
    @Operation(operationId = "getOrder", summary = "An order, from the moment it was accepted",
            extensions = @Extension(name = "x-problems",
                    value = "unknown-order not-loaded rate-limited"))
    @SecurityRequirement(name = "token")
    @APIResponse(responseCode = "200", description = "The order",
            content = @Content(schema = @Schema(implementation = OrderView.class)))
    public CompletionStage<Response> get(@Context HttpServerRequest request,
            @PathParam("sale") String sale, @PathParam("order") String order,
            @QueryParam("user") String user,
            @Parameter(schema = @Schema(type = SchemaType.BOOLEAN, defaultValue = "false"))
            @QueryParam("history") String history,
            @Parameter(schema = @Schema(type = SchemaType.INTEGER, minimum = "0",
                    maximum = "30", defaultValue = "0"))
            @QueryParam("wait") String wait, @Context RoutingContext routing) {
        Caller caller = callers.require(request);
        Violations.id("sale", sale);
        Violations violations = new Violations();
        violations.require(history == null || history.equals("true") || history.equals("false"),
                "history", "must be true or false");
        int seconds = wait == null ? 0
                : Violations.integer("wait", wait, 0, OrderWaits.SECONDS_MAX, violations);
        violations.check();
        String owner = owner(caller, user);
        if (!Texts.isId(order)) {
            throw new ProblemException(Problem.of(OutcomeCode.UNKNOWN_ORDER));
        }
        Exchange exchange = Exchange.of(routing);
        return orders.find(sale, order, owner)
                .thenCompose(found -> found != null && found.isAccepted() && seconds > 0
                        ? waits.await(exchange, caller, found, seconds)
                        : CompletableFuture.completedFuture(found))
                .thenCompose(found -> found != null && Boolean.parseBoolean(history)
                        ? orders.withHistory(found, caller)
                        : CompletableFuture.completedFuture(found))
                .thenApply(found -> found == null ? Problem.of(OutcomeCode.UNKNOWN_ORDER).response()
                        : Response.ok(json.write(found)).build());
    }

    /**
     * The required owner; null if the caller may act for anyone and named no user.
     *
     * @throws dev.rush.http.ProblemException {@code unknown-order} for another user's
     */
    private static @Nullable String owner(Caller caller, String user) {
        if (user == null) {
            return caller.actsForAnyone() ? null : caller.user();
        }
        if (!caller.mayActFor(Violations.user("user", user))) {
            throw new ProblemException(Problem.of(OutcomeCode.UNKNOWN_ORDER));
        }
        return user;
    }

    /**
     * The caller's orders, or the one under a key, so that a client that got no answer can learn
     * the outcome without buying again. With other filters, operators and auditors list all users'
     * orders.
     */
    @GET
    @Produces({MediaType.APPLICATION_JSON, OrderExport.MEDIA_TYPE})
    @Operation(operationId = "listOrders",
            summary = "The caller's orders, or for operators and auditors anyone's, newest first",
            description = "Without parameters, or with key: the caller's own orders. Operators "
                    + "and auditors who give user, status, since, limit or after, or prefer "
                    + "text/csv, list the orders of that user or of all users, page by page, or "
                    + "all of them as CSV. Other callers may name only themselves as user. Orders "
                    + "that are only accepted are listed only if their user is named.",
            extensions = @Extension(name = "x-problems",
                    value = "unknown-sale forbidden not-loaded not-implemented"))
    @SecurityRequirement(name = "token")
    @APIResponse(responseCode = "200",
            description = "At most 100 orders, or a page; with key, its order or none",
            content = {
                @Content(mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(implementation = OrderView.Page.class)),
                @Content(mediaType = OrderExport.MEDIA_TYPE,
                        schema = @Schema(implementation = String.class))})
    public CompletionStage<Response> list(@Context HttpServerRequest request,
            @Context HttpHeaders headers, @Context UriInfo uri, @Context RoutingContext routing,
            @PathParam("sale") String sale, @QueryParam("user") String user,
            @QueryParam("key") String key,
            @Parameter(schema = @Schema(type = SchemaType.STRING, enumeration = {"accepted",
                "reserved", "confirmed", "expired", "returned", "rejected"}))
            @QueryParam("status") String status,
            @Parameter(schema = @Schema(type = SchemaType.STRING, format = "date-time"))
            @QueryParam("since") String since,
            @Parameter(schema = @Schema(type = SchemaType.INTEGER, minimum = "1",
                    maximum = "1000", defaultValue = "100"))
            @QueryParam("limit") String limit, @QueryParam("after") String after) {
        Caller caller = callers.require(request);
        Violations.id("sale", sale);
        boolean csv = headers.getAcceptableMediaTypes().stream().limit(1).anyMatch(type ->
                type.toString().startsWith(OrderExport.MEDIA_TYPE));
        OrderQuery query = OrderQuery.of(uri.getQueryParameters(), csv);
        boolean isOwn = query.user() == null || query.user().equals(caller.user());
        if (!caller.audits() && (query.isList() || !isOwn)) {
            throw new ProblemException(Problem.of(OutcomeCode.FORBIDDEN));
        }
        Exchange exchange = Exchange.of(routing);
        return views.fresh(sale).thenCompose(view -> {
            if (view == null && views.absence(sale) == OutcomeCode.UNKNOWN_SALE) {
                throw new ProblemException(Problem.of(OutcomeCode.UNKNOWN_SALE));
            }
            if (csv) {
                return export.write(exchange, sale, cursor ->
                        listing.page(sale, query.withCursor(cursor, OrderQuery.LIMIT_MAX)));
            }
            return page(sale, caller, query).thenApply(page -> Response.ok(json.write(page))
                    .type(MediaType.APPLICATION_JSON_TYPE).build());
        });
    }

    private CompletableFuture<OrderView.Page> page(
            String sale, Caller caller, OrderQuery query) {
        String owner = query.user() == null ? caller.user() : query.user();
        if (query.key() != null) {
            return orders.byKey(sale, owner, query.key()).thenApply(found -> new OrderView.Page(
                    found == null ? List.of() : List.of(found), null));
        }
        return query.isList() || query.user() != null && caller.audits()
                ? listing.page(sale, query)
                : orders.of(sale, owner, LIST_MAX)
                        .thenApply(found -> new OrderView.Page(found, null));
    }

    /** Confirms that an order is paid. */
    @POST
    @Path("{order}/confirm")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(operationId = "confirmOrder", summary = "Confirm that an order is paid",
            description = "For payers and operators. With rush.confirm-by=buyer, buyers may also "
                    + "confirm their own orders; with operator, payers may not. The body may "
                    + "describe the payment.",
            extensions = @Extension(name = "x-problems", value =
                    "unknown-order order-confirmed order-expired order-returned rejected "
                    + "not-loaded not-implemented"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @SecurityRequirement(name = "token", scopes = "payer")
    @APIResponse(responseCode = "200", description = "The confirmed order",
            content = @Content(schema = @Schema(implementation = OrderView.class)))
    @RequestBody(required = false,
            content = @Content(schema = @Schema(implementation = ConfirmRequest.class)))
    public CompletionStage<Response> confirm(@Context HttpServerRequest request,
            @PathParam("sale") String sale, @PathParam("order") String order,
            @QueryParam("user") String user, byte[] body) {
        Caller caller = callers.requireConfirmer(request);
        Violations.id("sale", sale);
        ConfirmRequest known = json.readOptional(body, ConfirmRequest.class);
        Payment payment = known == null ? Payment.NONE : known.payment();
        Actor actor = Actor.of(caller, request);
        return orders.confirm(sale, order, owner(caller, user), actor, payment)
                .thenApply(confirmation -> confirmation.problem() != null
                        ? confirmation.problem().response()
                        : Response.ok(json.write(confirmation.order())).build());
    }
}
