package dev.rush.sale;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.json;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import dev.rush.testing.Api.Answer;
import dev.rush.testing.Environment;
import dev.rush.testing.Setting;
import dev.rush.testing.TestSale;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Purchases of one buyer at a time: P1, P3, P4, P5, P6, P7. */
@ParameterizedClass
@EnumSource(value = Setting.class, names = {"SINGLE", "CLUSTER", "SHARDS"})
class PurchaseIT {
    @Parameter
    Setting setting;

    private Environment environment() {
        return setting.environment();
    }

    private TestSale sale(String items) {
        return TestSale.of(environment(), items);
    }

    @Test
    @DisplayName("P1, O6: an accepted purchase answers with the order, its path and the units left")
    void acceptedPurchaseAnswersWithTheOrder() {
        TestSale sale = sale("apple:10:0");
        String user = fresh("user");
        Instant before = Instant.now();

        Answer answer = is(201, sale.buy(user, "apple:3"));

        String order = answer.body().path("order").asText();
        assertThat(answer.header("Location")).isEqualTo(sale.path() + "/orders/" + order);
        assertThat(answer.header("Idempotency-Replayed")).isNull();
        assertThat(answer.body().path("sale").asText()).isEqualTo(sale.id());
        assertThat(answer.body().path("user").asText()).isEqualTo(user);
        assertThat(answer.body().path("status").asText()).isEqualTo("accepted");
        assertThat(items(answer)).isEqualTo("apple:3");
        sale.assertLefts(answer, 7);
        assertThat(answer.body().has("payBy")).isFalse();
        assertThat(Instant.parse(answer.body().path("placedAt").asText()))
                .isBetween(before.minusSeconds(1), Instant.now().plusSeconds(1));
    }

    @Test
    @DisplayName("P1, S2: one purchase writes stock, limit, order and key together, in one slot")
    void purchaseWritesStockLimitOrderAndKeyTogether() {
        TestSale sale = sale("apple:10:2");
        String user = fresh("user");

        String order = is(201, sale.buy(user, "apple:2", "k-1")).body().path("order").asText();

        assertThat(sale.hash("stock"))
                .isEqualTo(Map.of("apple:total", "10", "apple:ordered", "2", "apple:limit", "2"));
        assertThat(sale.hash("buyers")).containsOnlyKeys(user);
        assertThat(sale.orders(user)).hasSize(1).first().asInstanceOf(LIST)
                .startsWith("a", order, "k-1", "=", "apple:2");
    }

    @Test
    @DisplayName("R1: with a payment window the answer has payBy")
    void paymentWindowGivesPayBy() {
        TestSale sale = TestSale.of(environment(), "apple:10:0", "'paymentWindow':'PT15M'");

        Answer answer = is(201, sale.buy(fresh("user"), "apple"));

        assertThat(Instant.parse(answer.body().path("payBy").asText())).isEqualTo(
                Instant.parse(answer.body().path("placedAt").asText()).plusSeconds(900));
    }

    @Test
    @DisplayName("P5: of stock 10, 25 is refused with 10 left, then 6 succeeds with 4 left")
    void purchaseBeyondTheStockIsRefusedWhole() {
        TestSale sale = sale("apple:10:0");
        String user = fresh("user");

        Answer refusal = refused(sale.buy(user, "apple:25"), "insufficient-stock");
        assertThat(refusal.body().path("left").asLong()).isEqualTo(10);
        assertThat(refusal.body().path("sku").asText()).isEqualTo("apple");
        sale.assertLefts(is(201, sale.buy(user, "apple:6")), 4);
        assertThat(sale.left("apple")).isEqualTo(4);
    }

    @Test
    @DisplayName("P5: of stock 100, 50 leaves 50; 51 is refused; 50 leaves 0; 5 is sold out")
    void soldOutAndInsufficientStockAreDifferentAnswers() {
        TestSale sale = sale("apple:100:0");
        String user = fresh("user");

        sale.assertLefts(is(201, sale.buy(user, "apple:50")), 50);
        assertThat(refused(sale.buy(user, "apple:51"), "insufficient-stock")
                .body().path("left").asLong()).isEqualTo(50);
        assertThat(sale.left("apple")).isEqualTo(50);
        sale.assertLefts(is(201, sale.buy(user, "apple:50")), 0);
        assertThat(refused(sale.buy(user, "apple:5"), "sold-out").body().path("sku").asText())
                .isEqualTo("apple");
        assertThat(sale.orders()).isEqualTo(2);
    }

    @Test
    @DisplayName("P3: with limit 1 a user buys once, and others still can")
    void userWithLimitOneBuysOnce() {
        TestSale sale = sale("apple:10:1");
        String user = fresh("user");

        is(201, sale.buy(user, "apple"));
        Answer refusal = refused(sale.buy(user, "apple"), "limit-reached");
        assertThat(refusal.body().path("limit").asLong()).isEqualTo(1);
        assertThat(refusal.body().path("taken").asLong()).isEqualTo(1);
        assertThat(refusal.body().path("sku").asText()).isEqualTo("apple");
        is(201, sale.buy(fresh("user"), "apple"));
    }

    @Test
    @DisplayName("P3: limit N counts units, not purchases, and refusals use up nothing")
    void limitCountsUnitsAndRefusalsUseUpNothing() {
        TestSale sale = sale("apple:7:5,pear:10:1");
        String user = fresh("user");

        is(201, sale.buy(user, "apple:3"));
        for (int i = 0; i < 3; i++) {
            assertThat(refused(sale.buy(user, "apple:3"), "limit-reached")
                    .body().path("taken").asLong()).isEqualTo(3);
        }
        is(201, sale.buy(fresh("user"), "apple:4"));
        refused(sale.buy(fresh("user"), "apple:1", fresh("key")), "sold-out");
        is(201, sale.buy(user, "pear"));
        assertThat(sale.taken(user, "apple")).isEqualTo(3);
    }

    @Test
    @DisplayName("A user has at most ordersPerUser orders of a sale, and the refusal names "
            + "the bound")
    void ordersOfAUserAreBounded() {
        String user = fresh("user");
        TestSale sale = TestSale.of(environment(), "apple:10:3,pear:10:0", "'ordersPerUser':2");
        sale.bought(user, "apple:2");
        Answer itemRefusal = refused(sale.buy(user, "apple:2"), "limit-reached");
        assertThat(itemRefusal.body().path("bound").asText()).isEqualTo("item");
        assertThat(itemRefusal.body().path("sku").asText()).isEqualTo("apple");
        sale.bought(user, "pear");

        Answer ordersRefusal = refused(sale.buy(user, "pear"), "limit-reached");
        assertThat(ordersRefusal.body().path("bound").asText()).isEqualTo("orders");
        assertThat(ordersRefusal.body().path("limit").asLong()).isEqualTo(2);
        assertThat(ordersRefusal.body().path("taken").asLong()).isEqualTo(2);
        sale.bought(fresh("user"), "pear");
    }

    @Test
    @DisplayName("P3: limit 0 means none, and an absent limit means 1")
    void limitZeroMeansNoneAndAbsentMeansOne() {
        TestSale sale = TestSale.unknown(environment());
        is(201, sale.api().asOperator().put(sale.path(), sale.sharded(json(
                "{'items':[{'sku':'apple','total':10,'limitPerUser':0},"
                        + "{'sku':'pear','total':10}]}"))));
        String user = fresh("user");

        is(201, sale.buy(user, "apple:5"));
        is(201, sale.buy(user, "apple:5"));
        is(201, sale.buy(user, "pear"));
        refused(sale.buy(user, "pear"), "limit-reached");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "-100", "101", "2.5", "2.0", "1e1", "\"3\"", "true", "[1]",
            "{}", "99999999999999999999", "-99999999999999999999", "1e400", "9223372036854775807",
            "\"\"", "NaN", "0x10", "1e-400", "\"apple\""})
    @DisplayName("P4: only an integer from 1 to the maximum is a quantity")
    void quantityIsAnIntegerFromOneToTheMaximum(String quantity) {
        TestSale sale = sale("apple:1000:0");

        Answer answer = refused(sale.buy(fresh("user"), "apple:" + quantity), "invalid-request");

        assertThat(answer.body().path("violations").get(0).path("field").isTextual()).isTrue();
        assertThat(sale.left("apple")).isEqualTo(1000);
        assertThat(sale.size("buyers")).isZero();
    }

    @Test
    @DisplayName("P4: maxQuantity applies per line, and a null quantity counts as absent")
    void maxQuantityOfTheSaleApplies() {
        TestSale sale = TestSale.of(environment(), "apple:1000:0", "'maxQuantity':10");

        is(201, sale.buy(fresh("user"), "apple:10"));
        Answer answer = refused(sale.buy(fresh("user"), "apple:11"), "invalid-request");
        assertThat(answer.body().path("violations").toString())
                .contains(json("'field':'items[0].quantity'")).contains("1 to 10");
        assertThat(is(201, sale.buy(fresh("user"), "apple")).body()
                .path("items").get(0).path("quantity").asLong()).isEqualTo(1);
    }

    @Test
    @DisplayName("P6: all lines of a cart are granted or none")
    void cartIsGrantedWholeOrNotAtAll() {
        TestSale sale = sale("apple:5:0,pear:2:0,plum:9:3");
        String user = fresh("user");

        Answer answer = is(201, sale.buy(user, "pear:1,plum:2,apple:3"));
        assertThat(items(answer)).isEqualTo("pear:1,plum:2,apple:3");
        sale.assertLefts(answer, 1, 7, 2);
        assertThat(refused(sale.buy(user, "apple:1,pear:2"), "insufficient-stock")
                .body().path("sku").asText()).isEqualTo("pear");
        assertThat(refused(sale.buy(user, "apple:1,plum:2"), "limit-reached")
                .body().path("sku").asText()).isEqualTo("plum");
        assertThat(refused(sale.buy(user, "apple:1,melon:1"), "unknown-item")
                .body().path("sku").asText()).isEqualTo("melon");
        assertThat(sale.left("apple")).isEqualTo(2);
        assertThat(sale.left("pear")).isEqualTo(1);
        assertThat(sale.left("plum")).isEqualTo(7);
        assertThat(sale.orders()).isEqualTo(1);
    }

    @Test
    @DisplayName("P6: the same item on two lines counts as the sum")
    void sameItemOnTwoLinesCountsAsTheSum() {
        TestSale sale = sale("apple:10:5,pear:3:0");
        String user = fresh("user");

        Answer refusal = refused(sale.buy(user, "apple:3,pear:1,apple:3"), "limit-reached");
        assertThat(refusal.body().path("taken").asLong()).isZero();
        refused(sale.buy(user, "pear:2,pear:2"), "insufficient-stock");
        Answer answer = is(201, sale.buy(user, "apple:2,pear:1,apple:3"));
        assertThat(items(answer)).isEqualTo("apple:5,pear:1");
        sale.assertLefts(answer, 5, 2);
    }

    @Test
    @DisplayName("P6: a cart has 1 to 20 lines")
    void cartHasOneToTwentyLines() {
        TestSale sale = sale("apple:100:0");
        String user = fresh("user");
        String twenty = "apple,".repeat(19) + "apple";

        is(201, sale.buy(user, twenty));
        refused(sale.buy(user, twenty + ",apple"), "invalid-request");
        for (String body : new String[] {"{}", "{'items':[]}", "{'items':null}",
            "{'items':[null]}", "{'items':{}}", "{'items':[{}]}", "[]", "null", "7", "'x'",
            "{'items':[{'sku':'apple'}],'note':1}", "{'items':[{'sku':'apple','qty':1}]}",
            "{'items':[{'sku':'ap ple'}]}", "{'items':[{'sku':7}]}", "{'items':[{'sku':''}]}"}) {
            refused(sale.api().as(user).post(sale.purchases(), json(body)), "invalid-request");
        }
        refused(sale.api().as(user).post(sale.purchases()), "invalid-request");
        assertThat(sale.left("apple")).isEqualTo(80);
    }

    @Test
    @DisplayName("P7: stock is kept as total and ordered, and ordered never exceeds total")
    void orderedNeverExceedsTotal() {
        TestSale sale = sale("apple:5:0");
        for (int i = 0; i < 8; i++) {
            sale.buy(fresh("user"), "apple:2", fresh("key"));
        }
        assertThat(sale.hash("stock")).containsEntry("apple:total", "5")
                .containsEntry("apple:ordered", "4");
    }

    private static String items(Answer answer) {
        return StreamSupport.stream(answer.body().path("items").spliterator(), false)
                .map(item -> item.path("sku").asText() + ":" + item.path("quantity").asLong())
                .collect(Collectors.joining(","));
    }
}
