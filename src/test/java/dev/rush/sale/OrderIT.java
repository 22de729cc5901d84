package dev.rush.sale;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Environment;
import dev.rush.testing.Setting;
import dev.rush.testing.TestSale;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Reading orders: O6, X4. */
@ParameterizedClass
@EnumSource(value = Setting.class, names = {"SINGLE", "CLUSTER", "SHARDS"})
class OrderIT {
    private final String user = fresh("user");

    @Parameter
    Setting setting;

    private Environment environment() {
        return setting.environment();
    }

    @Test
    @DisplayName("O6: an order can be read the moment it is accepted, as it was answered")
    void orderIsReadableAtOnce() {
        TestSale sale = TestSale.of(environment(), "apple:10:0,pear:10:0",
                "'paymentWindow':'PT15M'");

        Answer bought = is(201, sale.buy(user, "pear:2,apple:1"));
        Answer read = is(200, sale.api().as(user).get(bought.header("Location")));

        assertThat(read.body().path("status").asText())
                .isIn("accepted", "reserved"); // The ledger may have been quicker.
        for (String field : List.of("order", "sale", "user", "items", "placedAt", "payBy")) {
            assertThat(read.body().path(field)).as(field).isEqualTo(bought.body().path(field));
        }
    }

    @Test
    @DisplayName("X4: another user's order is 404, except for an operator who names the user")
    void anotherUsersOrderIsUnknown() {
        TestSale sale = TestSale.of(environment(), "apple:10:0");
        String path = sale.path() + "/orders/" + sale.bought(user, "apple");

        refused(sale.api().as(fresh("user")).get(path), "unknown-order");
        refused(sale.api().as(user + "x").get(path), "unknown-order");
        refused(sale.api().get(path), "unauthenticated");
        refused(sale.api().as(fresh("user")).get(path + "?user=" + user), "unknown-order");
        assertThat(is(200, sale.api().asOperator().get(path + "?user=" + user)).body()
                .path("user").asText()).isEqualTo(user);
    }

    @Test
    @DisplayName("404: an unknown order, in a known and in an unknown sale")
    void unknownOrderIsNotFound() {
        TestSale sale = TestSale.of(environment(), "apple:10:0");
        String order = sale.bought(user, "apple");
        TestSale other = TestSale.of(environment(), "apple:10:0");
        Api api = sale.api().as(user);

        for (String id : List.of("x", order + "0", "%20", "a%0D%0Ab", "%7Bx%7D", "a".repeat(65))) {
            refused(api.get(sale.path() + "/orders/" + id), "unknown-order");
        }
        refused(api.get(other.path() + "/orders/" + order), "unknown-order");
        Answer unknown = api.get(TestSale.unknown(environment()).path() + "/orders/" + order);
        assertThat(unknown.status()).isEqualTo(404);
    }

    @Test
    @DisplayName("The list has all orders of the caller, newest first, and nobody else's")
    void listHasTheCallersOrdersNewestFirst() {
        TestSale sale = TestSale.of(environment(), "apple:10:0");
        List<String> placed = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            placed.add(0, sale.bought(user, "apple"));
            sale.bought(user + "0", "apple");
        }

        Answer list = is(200, sale.api().as(user).get(sale.path() + "/orders"));

        assertThat(ids(list)).isEqualTo(placed);
        assertThat(list.body().path("orders").get(0).path("user").asText()).isEqualTo(user);
        assertThat(ids(is(200, sale.api().as(fresh("user")).get(sale.path() + "/orders"))))
                .isEmpty();
    }

    @Test
    @DisplayName("I7: a client that got no answer finds the order by its key")
    void orderUnderAKeyIsFound() {
        TestSale sale = TestSale.of(environment(), "apple:10:0");
        String order = is(201, sale.buy(user, "apple", "k")).body().path("order").asText();
        String keyless = sale.bought(user, "apple");
        String path = sale.path() + "/orders?key=";

        assertThat(ids(is(200, sale.api().as(user).get(path + "k")))).containsExactly(order);
        assertThat(ids(is(200, sale.api().as(user).get(path + keyless))))
                .containsExactly(keyless);
        assertThat(ids(is(200, sale.api().as(user).get(path + "never")))).isEmpty();
        assertThat(ids(is(200, sale.api().as(user + "x").get(path + "k")))).isEmpty();
        refused(sale.api().as(user).get(path + "a%20b"), "invalid-request");
    }

    @Test
    @DisplayName("X4: only an operator may list another user's orders")
    void onlyAnOperatorListsAnotherUsersOrders() {
        TestSale sale = TestSale.of(environment(), "apple:10:0");
        String order = sale.bought(user, "apple");
        String path = sale.path() + "/orders?user=" + user;

        assertThat(ids(is(200, sale.api().asOperator().get(path)))).containsExactly(order);
        assertThat(ids(is(200, sale.api().as(user).get(path)))).containsExactly(order);
        refused(sale.api().as(fresh("user")).get(path), "forbidden");
        refused(sale.api().get(path), "unauthenticated");
        refused(sale.api().asOperator().get(sale.path() + "/orders?user=a%20b"),
                "invalid-request");
        refused(sale.api().as(user).get(TestSale.unknown(environment()).path() + "/orders"),
                "unknown-sale");
    }

    @Test
    @DisplayName("S2: users with similar names, or with braces in them, have separate orders")
    void usersWithOddNamesHaveSeparateOrders() {
        TestSale sale = TestSale.of(environment(), "apple:100:1");
        List<String> users = List.of("{x}", "x", "{p01}", "x}", "!", "~", "a:b", "a,b", "a=b",
                "\"", "\\", "%20", "*", "[a-z]*", "u".repeat(128));
        for (String odd : users) {
            String order = sale.bought(odd, "apple");
            refused(sale.buy(odd, "apple"), "limit-reached");
            assertThat(ids(is(200, sale.api().as(odd).get(sale.path() + "/orders"))))
                    .as("orders of %s", odd).containsExactly(order);
        }
        assertThat(sale.left("apple")).isEqualTo(100 - users.size());
    }

    private static List<String> ids(Answer list) {
        List<String> ids = new ArrayList<>();
        for (JsonNode order : list.body().path("orders")) {
            ids.add(order.path("order").asText());
        }
        return ids;
    }
}
