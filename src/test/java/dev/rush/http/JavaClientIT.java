package dev.rush.http;

import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.rush.client.ApiClient;
import dev.rush.client.ApiException;
import dev.rush.client.ApiResponse;
import dev.rush.client.api.EventsApi;
import dev.rush.client.api.OperatorsApi;
import dev.rush.client.api.OrdersApi;
import dev.rush.client.api.RainsApi;
import dev.rush.client.api.SalesApi;
import dev.rush.client.model.Confirmation;
import dev.rush.client.model.Envelopes;
import dev.rush.client.model.Order;
import dev.rush.client.model.OrderItem;
import dev.rush.client.model.OrderReturn;
import dev.rush.client.model.OrderStep;
import dev.rush.client.model.Problem;
import dev.rush.client.model.Purchase;
import dev.rush.client.model.PurchaseLine;
import dev.rush.client.model.RainDefinition;
import dev.rush.client.model.Reschedule;
import dev.rush.client.model.ReturnRequest;
import dev.rush.client.model.Sale;
import dev.rush.client.model.SaleDefinition;
import dev.rush.client.model.SaleDefinitionItem;
import dev.rush.client.model.Verdict;
import dev.rush.client.model.Violation;
import dev.rush.client.model.WebhookRequest;
import dev.rush.testing.Environments;
import dev.rush.testing.Pod;
import java.net.URI;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The Java client that openapi-generator generates from openapi.yaml works unmodified. */
class JavaClientIT {
    private static final int WAIT_SECONDS = 20;
    private static Pod pod;

    @BeforeAll
    static void start() {
        pod = Environments.startPod("java-client", Environments.single(),
                Map.of("rush.orders.sink", "postgres"));
    }

    @AfterAll
    static void stop() {
        pod.close();
    }

    private static ApiClient client(String user, String... roles) {
        return new ApiClient().setHost("127.0.0.1").setPort(pod.baseUri().getPort())
                .setRequestInterceptor(request -> {
                    request.header("X-User-Id", user);
                    if (roles.length > 0) {
                        request.header("X-User-Roles", String.join(",", roles));
                    }
                });
    }

    private static ApiClient operator() {
        return client("olga", "operator");
    }

    private static String prepare(SaleDefinition definition) throws ApiException {
        String sale = fresh("sale");
        new SalesApi(operator()).prepareSale(sale, definition.items(List.of(
                new SaleDefinitionItem().sku("apple").total(10L).limitPerUser(1L))), null);
        return sale;
    }

    private static Purchase apple() {
        return new Purchase().items(List.of(new PurchaseLine().sku("apple")));
    }

    /** Returns the problem with which the call must be refused. */
    private static Problem problem(ThrowingCallable call) throws JsonProcessingException {
        ApiException refused = catchThrowableOfType(ApiException.class, call);
        assertThat(refused).isNotNull();
        Problem problem = ApiClient.createDefaultObjectMapper()
                .readValue(refused.getResponseBody(), Problem.class);
        assertThat(problem.getStatus()).isEqualTo(refused.getCode());
        return problem;
    }

    @Test
    @DisplayName("X3: a generated Java client buys, replays, pays, and reads the history")
    void buysReplaysAndPays() throws ApiException {
        String sale = prepare(new SaleDefinition().paymentWindow("PT15M"));
        String user = fresh("buyer");
        SalesApi sales = new SalesApi(client(user));
        OrdersApi orders = new OrdersApi(client(user));

        Order bought = sales.purchase(sale, apple(), "cart-1");
        ApiResponse<Order> again = sales.purchaseWithHttpInfo(sale, apple(), "cart-1");
        assertThat(again.getData().getOrder()).isEqualTo(bought.getOrder());
        assertThat(again.getHeaders()).containsEntry("idempotency-replayed", List.of("true"));
        assertThat(bought.getItems()).extracting(OrderItem::getLeft).containsExactly(9L);
        assertThat(bought.getPayBy()).isAfter(bought.getPlacedAt());

        UUID id = bought.getOrder();
        Order reserved = orders.getOrder(id, sale, null, null, WAIT_SECONDS);
        assertThat(reserved.getStatus()).isEqualTo(Order.StatusEnum.RESERVED);
        Order paid = new OrdersApi(client("pia", "payer")).confirmOrder(id, sale, user, null,
                new Confirmation().paymentReference("pay-1").amount(129_900L).currency("EUR"));
        assertThat(paid.getStatus()).isEqualTo(Order.StatusEnum.CONFIRMED);
        assertThat(paid.getPaymentReference()).isEqualTo("pay-1");

        assertThat(orders.getOrder(id, sale, true, null, null).getHistory())
                .extracting(OrderStep::getKind).containsExactly(OrderStep.KindEnum.ACCEPTED,
                        OrderStep.KindEnum.RESERVED, OrderStep.KindEnum.CONFIRMED);
        assertThat(orders.listOrders(sale, null, "cart-1", null, null, null, null).getOrders())
                .extracting(Order::getOrder).containsExactly(id);
        assertThat(new OrdersApi(operator())
                .listOrders(sale, null, null, 5, null, null, user).getOrders())
                .extracting(Order::getOrder).containsExactly(id);
        assertThat(new OperatorsApi(operator()).getSaleBooks(sale).getVerdict())
                .isEqualTo(Verdict.BALANCED);
    }

    @Test
    @DisplayName("X3: a generated Java client confirms without a body, returns by order and by key")
    void confirmsAndReturns() throws ApiException {
        String sale = prepare(new SaleDefinition().paymentWindow("PT15M"));
        String user = fresh("buyer");
        SalesApi sales = new SalesApi(client(user));
        OrdersApi orders = new OrdersApi(client(user));

        UUID first = sales.purchase(sale, apple(), "cart-1").getOrder();
        orders.getOrder(first, sale, null, null, WAIT_SECONDS);
        assertThat(new OrdersApi(client("pia", "payer"))
                .confirmOrder(first, sale, user, "by invoice", null).getStatus())
                .isEqualTo(Order.StatusEnum.CONFIRMED);
        OrderReturn returned = orders.returnOrder(sale,
                new ReturnRequest().order(first), "too small", null);
        assertThat(returned.getState()).isEqualTo(OrderReturn.StateEnum.RETURNED);

        UUID second = sales.purchase(sale, apple(), "cart-2").getOrder();
        orders.getOrder(second, sale, null, null, WAIT_SECONDS);
        assertThat(orders.returnOrder(sale,
                new ReturnRequest().idempotencyKey("cart-2"), null, null)
                .getState()).isEqualTo(OrderReturn.StateEnum.RETURNED);
        assertThat(orders.getOrder(second, sale, null, null, null).getStatus())
                .isEqualTo(Order.StatusEnum.RETURNED);
    }

    @Test
    @DisplayName("X3: a generated Java client reads problems with their members")
    void readsProblems() throws ApiException, JsonProcessingException {
        String sale = prepare(new SaleDefinition());
        SalesApi sales = new SalesApi(client(fresh("buyer")));
        sales.purchase(sale, apple(), "cart-1");

        Problem limit = problem(() -> sales.purchase(sale, apple(), "cart-2"));
        assertThat(limit.getType()).isEqualTo("/problems/limit-reached");
        assertThat(limit.getBound()).isEqualTo(Problem.BoundEnum.ITEM);
        assertThat(List.of(limit.getLimit(), limit.getTaken())).containsExactly(1L, 1L);
        assertThat(limit.getViolations()).isNull();

        Problem invalid = problem(() -> sales.purchase(sale, new Purchase().items(List.of(
                new PurchaseLine().sku("apple").quantity(0L))), "cart-3"));
        assertThat(invalid.getViolations()).extracting(Violation::getField)
                .containsExactly("items[0].quantity");

        assertThat(problem(() -> new SalesApi(client("x")).prepareSale(sale,
                new SaleDefinition().items(List.of()), null)).getType())
                .isEqualTo("/problems/forbidden");
    }

    @Test
    @DisplayName("X3: a generated Java client sends only the fields that were set")
    void sendsOnlyFieldsThatWereSet() throws ApiException {
        RainsApi rains = new RainsApi(operator());
        String listed = fresh("rain");
        assertThat(rains.prepareRain(listed, new RainDefinition().envelopes(
                new Envelopes().amounts(List.of(3L, 4L))), null).getPrepared().getAmount())
                .isEqualTo(7);
        String split = fresh("rain");
        assertThat(rains.prepareRain(split, new RainDefinition().envelopes(new Envelopes()
                .total(100L).count(4).split(Envelopes.SplitEnum.EVEN)), null).getLeft().getCount())
                .isEqualTo(4);
        assertThat(new RainsApi(client(fresh("buyer"))).grab(listed, "grab-1").getAmount())
                .isEqualTo(3);

        OffsetDateTime closesAt = OffsetDateTime.parse("2099-01-01T00:00:00Z");
        String sale = prepare(new SaleDefinition().title("Apples").closesAt(closesAt));
        SalesApi sales = new SalesApi(operator());
        Sale renamed = sales.rescheduleSale(sale, new Reschedule().title("Pears"), null);
        assertThat(renamed.getTitle()).isEqualTo("Pears");
        assertThat(renamed.getClosesAt().toInstant()).isEqualTo(closesAt.toInstant());
        assertThat(sales.rescheduleSale(sale, new Reschedule().closesAt(null), null)
                .getClosesAt()).isNull();
    }

    @Test
    @DisplayName("X3: a generated Java client makes calls whose success has no body")
    void callsWithoutABody() throws ApiException, JsonProcessingException {
        OperatorsApi operators = new OperatorsApi(operator());
        String user = fresh("buyer");
        operators.blockUser(user, "a bot");
        operators.findBlockedUser(user);
        operators.unblockUser(user, null);
        assertThat(problem(() -> operators.findBlockedUser(user)).getType())
                .isEqualTo("/problems/not-found");

        EventsApi events = new EventsApi(operator());
        String webhook = fresh("hook");
        events.putWebhook(webhook, new WebhookRequest().url(URI.create("https://a.example/rush"))
                .types(List.of("dev.rush.order.*"))
                .secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), null);
        assertThat(events.getWebhook(webhook).getTypes()).containsExactly("dev.rush.order.*");
        events.deleteWebhook(webhook, null);
        assertThat(problem(() -> events.deleteWebhook(webhook, null)).getType())
                .isEqualTo("/problems/not-found");
    }
}
