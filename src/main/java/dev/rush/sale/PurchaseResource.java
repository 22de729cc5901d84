package dev.rush.sale;

import dev.rush.http.Answer;
import dev.rush.http.Caller;
import dev.rush.http.Callers;
import dev.rush.http.HotCall;
import dev.rush.http.Json;
import dev.rush.http.Problem;
import dev.rush.http.Violations;
import dev.rush.http.limit.Admission;
import dev.rush.offer.Outcome;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.headers.Header;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.security.SecurityRequirement;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Purchases. Refusals take precedence in the order of the API contract. */
@Singleton
@Path("/v1/sales/{sale}/purchases")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "Sales")
public class PurchaseResource implements HotCall {

    private final Callers callers;
    private final Admission admission;
    private final SaleViewCache views;
    private final Purchases purchases;
    private final Json json;

    @Inject
    PurchaseResource(Callers callers, Admission admission, SaleViewCache views, Purchases purchases,
            Json json) {
        this.callers = callers;
        this.admission = admission;
        this.views = views;
        this.purchases = purchases;
        this.json = json;
    }

    @Override
    public String prefix() {
        return "/v1/sales/";
    }

    @Override
    public String suffix() {
        return "/purchases";
    }

    @Override
    public String template() {
        return "/v1/sales/{sale}/purchases";
    }

    @Override
    public boolean needsJson() {
        return true;
    }

    /** Buys all lines or none. */
    @POST
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(operationId = "purchase", summary = "Buy all lines or none",
            extensions = @Extension(name = "x-problems", value =
                    "blocked key-reused rejected order-returned unknown-sale unknown-item "
                    + "not-loaded paused not-open closed duplicate-submission "
                    + "limit-reached sold-out insufficient-stock backlogged"))
    @SecurityRequirement(name = "token")
    @APIResponse(responseCode = "201",
            description = "The accepted order; also the answer to a repetition with the same key",
            headers = {
                @Header(name = "Location", ref = "Location"),
                @Header(name = "Idempotency-Replayed", ref = "Idempotency-Replayed")},
            content = @Content(schema = @Schema(implementation = OrderView.class)))
    @RequestBody(content = @Content(schema = @Schema(implementation = PurchaseRequest.class)))
    public CompletionStage<Response> purchase(@Context HttpServerRequest request,
            @PathParam("sale") String sale, @HeaderParam("Idempotency-Key") String key,
            byte[] body) {
        return answer(callers.require(request), request, sale, body).thenApply(Answer::response);
    }

    @Override
    public CompletionStage<Answer> answer(
            Caller caller, HttpServerRequest request, String sale, byte @Nullable [] body) {
        Violations.id("sale", sale);
        String key = Violations.key(request.getHeader("Idempotency-Key"));
        PurchaseRequest purchase = json.read(body, PurchaseRequest.class);
        SaleView view = views.known(sale);
        PurchaseLines lines = purchase.lines(
                view == null ? SaleDefinition.TOTAL_MAX : view.maxQuantity());
        Answer refusal = admission.refusal(caller);
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        return view != null ? purchase(view, caller, key, lines)
                : views.fresh(sale).thenCompose(found -> found == null
                        ? CompletableFuture.completedFuture(
                                Problem.of(views.absence(sale)).answer())
                        : purchase(found, caller, key, purchase.lines(found.maxQuantity())));
    }

    private CompletionStage<Answer> purchase(
            SaleView view, Caller caller, @Nullable String key, PurchaseLines lines) {
        return purchases.purchase(view, caller.user(), key, lines).thenApply(outcome -> {
            Answer answer = outcome.answer(json);
            return outcome instanceof Outcome.Accepted<OrderView> accepted
                    ? answer.with(HttpHeaders.LOCATION,
                            "/v1/sales/" + view.sale() + "/orders/" + accepted.granted().order())
                    : answer;
        });
    }
}
