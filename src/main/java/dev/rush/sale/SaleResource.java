package dev.rush.sale;

import dev.rush.http.Answer;
import dev.rush.http.Callers;
import dev.rush.http.HotView;
import dev.rush.http.Json;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.http.Violations;
import dev.rush.ledger.Actor;
import dev.rush.offer.Durabilities;
import dev.rush.offer.OfferControl;
import io.quarkus.runtime.annotations.RegisterForReflection;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.headers.Header;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.security.SecurityRequirement;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Sales: preparing, controlling and reading them. */
@Singleton
@Path("/v1/sales")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Sales")
public class SaleResource implements HotView {

    private final Callers callers;
    private final Preparation preparation;
    private final Sales sales;
    private final Totals totals;
    private final Schedule schedule;
    private final SaleViewCache views;
    private final SaleListing listing;
    private final Durabilities durabilities;
    private final Json json;

    @Inject
    SaleResource(Callers callers, Preparation preparation, Sales sales, Totals totals,
            Schedule schedule, SaleViewCache views, SaleListing listing, Durabilities durabilities,
            Json json) {
        this.callers = callers;
        this.preparation = preparation;
        this.sales = sales;
        this.totals = totals;
        this.schedule = schedule;
        this.views = views;
        this.listing = listing;
        this.durabilities = durabilities;
        this.json = json;
    }

    /** The body of a change of a total. */
    @RegisterForReflection
    @Schema(name = "TotalChange", requiredProperties = "total",
            additionalProperties = Schema.False.class)
    record TotalRequest(
            @Schema(description = "Not below the units ordered", minimum = "0",
                    maximum = "1000000000", examples = "150")
            Long total) {
    }

    /** Prepares a sale. */
    @PUT
    @Path("{sale}")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(operationId = "prepareSale", summary = "Prepare a sale",
            extensions = @Extension(name = "x-problems", value = "sale-exists not-loaded"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "201", description = "The sale is prepared",
            content = @Content(schema = @Schema(implementation = SaleAnswer.class)))
    @APIResponse(responseCode = "200",
            description = "It was already prepared with the same definition",
            content = @Content(schema = @Schema(implementation = SaleAnswer.class)))
    @RequestBody(content = @Content(schema = @Schema(implementation = SaleRequest.class)))
    public CompletionStage<Response> prepare(@Context HttpServerRequest request,
            @PathParam("sale") String sale, byte[] body) {
        Actor actor = Actor.of(callers.requireOperator(request), request);
        Violations.id("sale", sale);
        SaleDefinition definition = SaleDefinition.of(sale, json.read(body, SaleRequest.class),
                durabilities, preparation.shardsMax());
        if (definition.paymentWindow() > 0 && !preparation.canReserve()) {
            throw new ProblemException(Violations.problem("paymentWindow",
                    "needs PostgreSQL, and this service runs without it (rush.orders.sink)"));
        }
        return definition.closesAt() == 0 || definition.closesAt() > System.currentTimeMillis()
                ? prepare(sale, definition, actor)
                : views.fresh(sale).thenCompose(view -> {
                    if (view == null && views.absence(sale) == OutcomeCode.UNKNOWN_SALE) {
                        throw new ProblemException(
                                Violations.problem("closesAt", "must be in the future"));
                    }
                    // A repeated call gets the same answer, even after the end.
                    return prepare(sale, definition, actor);
                });
    }

    private CompletionStage<Response> prepare(
            String sale, SaleDefinition definition, Actor actor) {
        return preparation.prepare(sale, definition, actor).thenCompose(
                prepared -> switch (prepared) {
                    case CREATED -> view(sale, 201);
                    case EXISTS -> view(sale, 200);
                    case DIFFERENT -> preparation.differing(sale, definition)
                            .thenApply(Problem::response);
                    case NOT_LOADED -> done(Problem.of(OutcomeCode.NOT_LOADED));
                });
    }

    @Override
    public String prefix() {
        return "/v1/sales/";
    }

    @Override
    public String template() {
        return "/v1/sales/{sale}";
    }

    /** The sale and its remaining units. */
    @GET
    @Path("{sale}")
    @Operation(operationId = "getSale", summary = "A sale and its remaining units",
            extensions = @Extension(name = "x-problems", value = "unknown-sale not-loaded"))
    @APIResponse(responseCode = "200", description = "The sale, at most 200 ms old",
            headers = {
                @Header(name = "ETag", ref = "ETag"),
                @Header(name = "Cache-Control", ref = "Cache-Control")},
            content = @Content(schema = @Schema(implementation = SaleAnswer.class)))
    @APIResponse(responseCode = "304", description = "Unchanged")
    public CompletionStage<Response> get(@PathParam("sale") String sale,
            @HeaderParam("If-None-Match") String known) {
        return answer(sale, known).thenApply(Answer::response);
    }

    @Override
    public CompletionStage<Answer> answer(String sale, @Nullable String known) {
        Violations.id("sale", sale);
        return views.fresh(sale).thenApply(view -> {
            Problem problem = views.problem(sale, view);
            return problem != null ? problem.answer() : view.shown().answer(known);
        });
    }

    /** All sales, newest first. */
    @GET
    @Operation(operationId = "listSales", summary = "All sales, newest first")
    @SecurityRequirement(name = "token", scopes = "operator")
    @SecurityRequirement(name = "token", scopes = "auditor")
    @APIResponse(responseCode = "200", description = "A page",
            content = @Content(schema = @Schema(implementation = SaleAnswer.Page.class)))
    public CompletionStage<Response> list(@Context HttpServerRequest request,
            @QueryParam("before") String before,
            @Parameter(schema = @Schema(type = SchemaType.INTEGER, minimum = "1",
                    maximum = "100", defaultValue = "50"))
            @QueryParam("limit") String limit) {
        callers.requireAuditor(request);
        return listing.page(before, limit);
    }

    /** Changes a sale's title and times. */
    @PATCH
    @Path("{sale}")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(operationId = "rescheduleSale", summary = "Change a sale's title and times",
            extensions = @Extension(name = "x-problems", value = "unknown-sale not-loaded closed"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "200", description = "The sale with its new title and times",
            content = @Content(schema = @Schema(implementation = SaleAnswer.class)))
    @RequestBody(content = @Content(schema = @Schema(implementation = RescheduleRequest.class)))
    public CompletionStage<Response> reschedule(@Context HttpServerRequest request,
            @PathParam("sale") String sale, byte[] body) {
        Actor actor = Actor.of(callers.requireOperator(request), request);
        Violations.id("sale", sale);
        return schedule.change(sale, json.read(body, RescheduleRequest.class), actor)
                .thenCompose(problem -> problem == null ? view(sale, 200) : done(problem));
    }

    /** Raises or lowers an item's total. */
    @PATCH
    @Path("{sale}/items/{sku}")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(operationId = "changeTotal", summary = "Raise or lower an item's total",
            extensions = @Extension(name = "x-problems", value =
                    "unknown-sale unknown-item not-loaded below-ordered closed"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "200", description = "The sale with the new total",
            content = @Content(schema = @Schema(implementation = SaleAnswer.class)))
    @RequestBody(content = @Content(schema = @Schema(implementation = TotalRequest.class)))
    public CompletionStage<Response> total(@Context HttpServerRequest request,
            @PathParam("sale") String sale, @PathParam("sku") String sku, byte[] body) {
        Actor actor = Actor.of(callers.requireOperator(request), request);
        Violations.id("sale", sale);
        Violations.id("sku", sku);
        Long total = json.read(body, TotalRequest.class).total();
        Violations violations = new Violations();
        violations.require(total != null && total >= 0 && total <= SaleDefinition.TOTAL_MAX,
                "total", "must be 0 to " + SaleDefinition.TOTAL_MAX);
        violations.check();
        return totals.change(sale, sku, total, actor)
                .thenCompose(problem -> problem == null ? view(sale, 200) : done(problem));
    }

    /** Pauses a sale. */
    @POST
    @Path("{sale}/pause")
    @Operation(operationId = "pauseSale", summary = "Pause a sale",
            extensions = @Extension(name = "x-problems", value = "unknown-sale not-loaded closed"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "200", description = "The sale",
            content = @Content(schema = @Schema(implementation = SaleAnswer.class)))
    public CompletionStage<Response> pause(@Context HttpServerRequest request,
            @PathParam("sale") String sale, byte[] body) {
        return control(request, sale, body, OfferControl.Action.PAUSE);
    }

    /** Resumes a sale. */
    @POST
    @Path("{sale}/resume")
    @Operation(operationId = "resumeSale", summary = "Resume a sale",
            extensions = @Extension(name = "x-problems", value = "unknown-sale not-loaded closed"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "200", description = "The sale",
            content = @Content(schema = @Schema(implementation = SaleAnswer.class)))
    public CompletionStage<Response> resume(@Context HttpServerRequest request,
            @PathParam("sale") String sale, byte[] body) {
        return control(request, sale, body, OfferControl.Action.RESUME);
    }

    /** Closes a sale for good. */
    @POST
    @Path("{sale}/close")
    @Operation(operationId = "closeSale", summary = "Close a sale for good",
            extensions = @Extension(name = "x-problems", value = "unknown-sale not-loaded"))
    @SecurityRequirement(name = "token", scopes = "operator")
    @APIResponse(responseCode = "200", description = "The sale",
            content = @Content(schema = @Schema(implementation = SaleAnswer.class)))
    public CompletionStage<Response> close(@Context HttpServerRequest request,
            @PathParam("sale") String sale, byte[] body) {
        return control(request, sale, body, OfferControl.Action.CLOSE);
    }

    private CompletionStage<Response> control(HttpServerRequest request, String sale, byte[] body,
            OfferControl.Action action) {
        Actor actor = Actor.of(callers.requireOperator(request), request);
        Violations.id("sale", sale);
        json.readNothing(body);
        return sales.control(sale, action, actor)
                .thenCompose(problem -> problem == null ? view(sale, 200) : done(problem));
    }

    private CompletionStage<Response> view(String sale, int status) {
        return views.reload(sale).thenApply(view -> {
            Problem problem = views.problem(sale, view);
            return problem != null ? problem.response()
                    : Response.status(status).entity(view.shown().body()).build();
        });
    }

    private static CompletionStage<Response> done(Problem problem) {
        return CompletableFuture.completedFuture(problem.response());
    }
}
