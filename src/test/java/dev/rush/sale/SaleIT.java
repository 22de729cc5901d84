package dev.rush.sale;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.json;
import static dev.rush.testing.Answers.refused;
import static dev.rush.testing.TestSale.definition;
import static dev.rush.testing.TestSale.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rush.testing.Api;
import dev.rush.testing.Api.Answer;
import dev.rush.testing.Environment;
import dev.rush.testing.Setting;
import dev.rush.testing.TestSale;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Preparing and controlling sales: P10, P11, X4. */
@ParameterizedClass
@EnumSource(Setting.class)
class SaleIT {
    private final String user = fresh("user");

    @Parameter
    Setting setting;

    private Environment environment() {
        return setting.environment();
    }

    private Api operator() {
        return environment().api().asOperator();
    }

    @Test
    @DisplayName("P10: preparing is 201, the same again 200, another definition 409")
    void preparingTwiceChangesNothing() {
        TestSale sale = TestSale.unknown(environment());
        String body = sale.sharded(json("{'title':'Apple day','items':[{'sku':'apple',"
                + "'total':10}],'opensAt':'2026-01-01T12:00:00Z'}"));

        Answer created = is(201, operator().put(sale.path(), body));
        assertThat(created.body().path("title").asText()).isEqualTo("Apple day");
        assertThat(created.body().path("state").asText()).isEqualTo("open");
        sale.bought(user, "apple");
        Answer again = is(200, operator().put(sale.path(), body));
        assertThat(left(again)).isEqualTo(9);
        is(200, operator().put(sale.path(),
                body.replace("2026-01-01T12:00:00Z", "2026-01-01T13:00:00+01:00")));
        refused(operator().put(sale.path(), body.replace("10", "11")), "sale-exists");
        refused(operator().put(sale.path(), body.replace("Apple day", "x")), "sale-exists");
        assertThat(sale.left("apple")).isEqualTo(9);
    }

    @Test
    @DisplayName("P10: the same definition is 200 after control calls, and undoes none of them")
    void preparingAgainUndoesNothing() {
        TestSale sale = TestSale.of(environment(), "apple:10:0");
        is(200, sale.total("apple", 20));
        is(200, sale.control("pause"));

        Answer again = is(200, sale.prepareAgain("apple:10:0", ""));
        assertThat(again.body().path("state").asText()).isEqualTo("paused");
        assertThat(sale.left("apple")).isEqualTo(20);
    }

    @Test
    @DisplayName("P10: every call for a sale that was never prepared is unknown-sale")
    void unpreparedSaleIsUnknown() {
        TestSale sale = TestSale.unknown(environment());

        refused(sale.view(), "unknown-sale");
        refused(sale.buy(user, "apple"), "unknown-sale");
        refused(sale.buy(user, "apple", "k"), "unknown-sale");
        refused(sale.control("pause"), "unknown-sale");
        refused(sale.control("resume"), "unknown-sale");
        refused(sale.control("close"), "unknown-sale");
        refused(sale.total("apple", 5), "unknown-sale");
        assertThat(sale.redis("EXISTS", sale.key("conf"), sale.key("stock"))).isEqualTo(0L);
    }

    @Test
    @DisplayName("P10, I14: a sale whose stock is lost is not-loaded, even when prepared again")
    void lostStockIsNeverLoadedAgain() {
        TestSale sale = TestSale.of(environment(), "apple:10:0");
        sale.bought(user, "apple");
        sale.delete("stock");

        refused(sale.buy(user, "apple"), "not-loaded");
        refused(sale.prepareAgain("apple:10:0", ""), "not-loaded");
        refused(sale.view(), "not-loaded");
        refused(sale.total("apple", 20), "not-loaded");
        refused(sale.buy(user, "apple:2"), "not-loaded");
        assertThat(sale.redis("EXISTS", sale.key("stock"))).isEqualTo(0L);
    }

    @Test
    @DisplayName("P11: an operator raises and lowers a total, never below what is ordered")
    void totalIsRaisedAndLowered() {
        TestSale sale = TestSale.of(environment(), "apple:5:0,pear:1:0");
        sale.bought(user, "apple:5");
        refused(sale.buy(user, "apple"), "sold-out");

        Answer raised = is(200, sale.total("apple", 8));
        assertThat(left(raised)).isEqualTo(3);
        sale.bought(user, "apple:2");
        Answer refusal = refused(sale.total("apple", 6), "below-ordered");
        assertThat(refusal.body().path("ordered").asLong()).isEqualTo(7);
        assertThat(left(is(200, sale.total("apple", 7)))).isZero();
        is(200, sale.total("apple", 7));
        refused(sale.buy(user, "apple"), "sold-out");
        refused(sale.total("melon", 5), "unknown-item");
        assertThat(sale.hash("stock")).containsEntry("apple:total", "7")
                .containsEntry("pear:total", "1").doesNotContainKey("melon:total");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{'total':-1}", "{'total':1000000001}", "{'total':'5'}",
            "{'total':1.5}", "{'total':null}", "{'total':5,'x':1}", "[]", "{'total':1e400}"})
    @DisplayName("P11: a total is an integer from 0 to 1,000,000,000")
    void totalIsAnInteger(String body) {
        TestSale sale = TestSale.of(environment(), "apple:5:0");
        refused(operator().patch(sale.path() + "/items/apple", json(body)), "invalid-request");
        assertThat(sale.left("apple")).isEqualTo(5);
    }

    @Test
    @DisplayName("P11: pause, resume and close; repeating one is 200")
    void repeatedControlCallsSucceed() {
        TestSale sale = TestSale.of(environment(), "apple:10:0");

        assertThat(state(sale.control("resume"))).isEqualTo("open");
        assertThat(state(sale.control("pause"))).isEqualTo("paused");
        assertThat(state(sale.control("pause"))).isEqualTo("paused");
        refused(sale.buy(user, "apple"), "paused");
        assertThat(state(operator().post(sale.path() + "/resume", "{}"))).isEqualTo("open");
        assertThat(state(sale.control("resume"))).isEqualTo("open");
        sale.bought(user, "apple");
        assertThat(state(sale.control("close"))).isEqualTo("closed");
        assertThat(state(sale.control("close"))).isEqualTo("closed");
        refused(sale.buy(user, "apple"), "closed");
        refused(sale.control("resume"), "closed");
        refused(sale.control("pause"), "closed");
        assertThat(state(sale.view())).isEqualTo("closed");
        refused(operator().post(sale.path() + "/pause", "{'x':1}"), "invalid-request");
    }

    @Test
    @DisplayName("P11: a sale is sold-out once all its items are, and open until then")
    void soldOutIsAState() {
        TestSale sale = TestSale.of(environment(), "apple:1:0,pear:1:0");
        sale.bought(user, "apple");
        assertThat(state(sale.prepareAgain("apple:1:0,pear:1:0", "")))
                .isEqualTo("open");
        sale.bought(user, "pear");
        assertThat(state(sale.prepareAgain("apple:1:0,pear:1:0", "")))
                .isEqualTo("sold-out");
    }

    @Test
    @DisplayName("X4: operators' calls are 401 without identity and 403 for others")
    void operatorsCallsAreForOperators() {
        TestSale sale = TestSale.of(environment(), "apple:10:0");
        record Call(String method, String path, String body) {
        }

        for (Call call : List.of(
                new Call("PUT", sale.path(), definition("apple:10:0", "")),
                new Call("PATCH", sale.path() + "/items/apple", "{\"total\":5}"),
                new Call("POST", sale.path() + "/pause", null),
                new Call("POST", sale.path() + "/resume", null),
                new Call("POST", sale.path() + "/close", null),
                new Call("GET", "/v1/sales", null), new Call("GET", "/v1/blocklist", null),
                new Call("GET", "/v1/blocklist/u", null), new Call("PUT", "/v1/blocklist/u", null),
                new Call("DELETE", "/v1/blocklist/u", null))) {
            Api api = environment().api();
            refused(api.call(call.method, call.path, call.body), "unauthenticated");
            for (String roles : List.of("", "buyer", "Operator", "operators", "xoperator,y")) {
                refused(api.as(user).with("X-User-Roles", roles)
                        .call(call.method, call.path, call.body), "forbidden");
            }
        }
        is(200, environment().api().as(user).with("X-User-Roles", "buyer, operator")
                .patch(sale.path() + "/items/apple", "{\"total\":5}"));
        assertThat(sale.hash("conf")).containsEntry("paused", "0").containsEntry("closed_at", "0");
    }

    private static String state(Answer answer) {
        return is(200, answer).body().path("state").asText();
    }

    private static long left(Answer answer) {
        JsonNode items = answer.body().path("items");
        return items.get(0).path("left").asLong();
    }
}
