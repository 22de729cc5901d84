package dev.rush.sale;

import static dev.rush.testing.Answers.is;
import static dev.rush.testing.Answers.json;
import static dev.rush.testing.Answers.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.testing.Api.Answer;
import dev.rush.testing.Environment;
import dev.rush.testing.Setting;
import dev.rush.testing.TestSale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Which definitions of a sale are valid: P10, X5. */
@ParameterizedClass
@EnumSource(value = Setting.class, names = {"SINGLE", "CLUSTER"})
class DefinitionIT {
    private static final String ITEMS = "'items':[{'sku':'apple','total':10}]";

    @Parameter
    Setting setting;

    private Environment environment() {
        return setting.environment();
    }

    private Answer prepare(TestSale sale, String body) {
        return environment().api().asOperator().put(sale.path(), json(body));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "items | {}",
        "items | {'items':[]}",
        "items[0] | {'items':[null]}",
        "items[0].sku | {'items':[{'total':1}]}",
        "items[0].sku | {'items':[{'sku':'a b','total':1}]}",
        "items[0].sku | {'items':[{'sku':'{x}','total':1}]}",
        "items[0].sku | {'items':[{'sku':'a:b','total':1}]}",
        "items[0].sku | {'items':[{'sku':5,'total':1}]}",
        "items[1].sku | {'items':[{'sku':'a','total':1},{'sku':'a','total':2}]}",
        "items[0].total | {'items':[{'sku':'a'}]}",
        "items[0].total | {'items':[{'sku':'a','total':-1}]}",
        "items[0].total | {'items':[{'sku':'a','total':1000000001}]}",
        "items[0].total | {'items':[{'sku':'a','total':'3'}]}",
        "items[0].total | {'items':[{'sku':'a','total':2.5}]}",
        "items[0].total | {'items':[{'sku':'a','total':true}]}",
        "items[0].limitPerUser | {'items':[{'sku':'a','total':1,'limitPerUser':-1}]}",
        "items[0].limit | {'items':[{'sku':'a','total':1,'limit':1}]}",
        "opensAt | {ITEMS,'opensAt':'tomorrow'}",
        "opensAt | {ITEMS,'opensAt':1790000000}",
        "opensAt | {ITEMS,'opensAt':'2026-11-20'}",
        "opensAt | {ITEMS,'opensAt':'+999999999-01-01T00:00:00Z'}",
        "closesAt | {ITEMS,'closesAt':'2024-01-01T00:00:00Z'}",
        "closesAt | {ITEMS,'opensAt':'2023-01-01T00:00:00Z','closesAt':'2024-01-01T00:00:00Z'}",
        "closesAt | {ITEMS,'opensAt':'2030-01-01T00:00:00Z','closesAt':'2030-01-01T00:00:00Z'}",
        "maxQuantity | {ITEMS,'maxQuantity':0}",
        "maxQuantity | {ITEMS,'maxQuantity':1000001}",
        "paymentWindow | {ITEMS,'paymentWindow':'15m'}",
        "paymentWindow | {ITEMS,'paymentWindow':'PT0S'}",
        "paymentWindow | {ITEMS,'paymentWindow':'-PT1M'}",
        "paymentWindow | {ITEMS,'paymentWindow':'P31D'}",
        "duplicateGuard | {ITEMS,'duplicateGuard':'CART'}",
        "duplicateGuard | {ITEMS,'duplicateGuard':0}",
        "duplicateGuardWindow | {ITEMS,'duplicateGuardWindow':'PT2H'}",
        "returnRestoresLimit | {ITEMS,'returnRestoresLimit':'yes'}",
        "returnRestoresLimit | {ITEMS,'returnRestoresLimit':1}",
        "ordersPerUser | {ITEMS,'ordersPerUser':0}",
        "ordersPerUser | {ITEMS,'ordersPerUser':1001}",
        "unpaidHolds | {ITEMS,'unpaidHolds':-1}",
        "shards | {ITEMS,'shards':0}",
        "shards | {ITEMS,'shards':65}",
        "title | {ITEMS,'title':7}",
        "title | {ITEMS,'title':'\\ud800'}",
        "title | {ITEMS,'title':'a\\u0000b'}",
        "title | {ITEMS,'title':'a\\r\\nb'}",
        "typo | {ITEMS,'typo':1}",
    })
    @DisplayName("400: a definition that is not valid names its field and prepares nothing")
    void invalidDefinitionNamesItsField(String field, String body) {
        TestSale sale = TestSale.unknown(environment());

        Answer answer = refused(prepare(sale, body.replace("ITEMS", ITEMS)), "invalid-request");

        assertThat(answer.body().path("violations").get(0).path("field").asText())
                .isEqualTo(field);
        refused(sale.view(), "unknown-sale");
    }

    @Test
    @DisplayName("400: all violations are named at once")
    void allViolationsAreNamed() {
        Answer answer = refused(prepare(TestSale.unknown(environment()),
                "{'items':[{'sku':'?','total':-1}],'maxQuantity':0,'shards':99}"),
                "invalid-request");
        assertThat(answer.body().path("violations").findValuesAsText("field")).containsExactly(
                "items[0].sku", "items[0].total", "maxQuantity", "shards");
    }

    @Test
    @DisplayName("X5: a sale has at most 100 items and a title of at most 200 characters")
    void boundsHold() {
        is(201, prepare(TestSale.unknown(environment()), items(100)));
        refused(prepare(TestSale.unknown(environment()), items(101)), "invalid-request");
        is(201, prepare(TestSale.unknown(environment()),
                "{" + ITEMS + ",'title':'" + "ä".repeat(200) + "'}"));
        refused(prepare(TestSale.unknown(environment()),
                "{" + ITEMS + ",'title':'" + "x".repeat(201) + "'}"), "invalid-request");
    }

    @Test
    @DisplayName("P10: omitted fields have defaults; naming the defaults is the same definition")
    void absentFieldsHaveDefaults() {
        TestSale sale = TestSale.unknown(environment());
        is(201, prepare(sale, "{" + ITEMS + "}"));

        is(200, prepare(sale, "{" + ITEMS.replace("}", ",'limitPerUser':1,'title':'apple'}")
                + ",'title':'" + sale.id() + "','opensAt':null,'closesAt':null,'maxQuantity':100,"
                + "'paymentWindow':null,'duplicateGuard':'none','duplicateGuardWindow':'PT2S',"
                + "'returnRestoresLimit':true,'shards':1}"));
        assertThat(sale.view().body().path("items").toString()).isEqualTo(json("[{'sku':'apple',"
                + "'title':'apple','total':10,'left':10,'limitPerUser':1}]"));
    }

    @Test
    @DisplayName("400: a sale's id is 1 to 64 of A-Za-z0-9._-, so it cannot change a slot (S2)")
    void idIsPlain() {
        String body = json("{" + ITEMS + "}");
        for (String id : new String[] {"%7Bx%7D", "a%20b", "a%3Ab", "%00", "a%0D%0Ab", "%C3%A4",
            "a%2Fb", "x".repeat(65)}) {
            Answer answer = environment().api().asOperator().put("/v1/sales/" + id, body);
            assertThat(answer.status()).as("%s: %s", id, answer).isIn(400, 404);
            assertThat(answer.header("Content-Type")).startsWith("application/problem+json");
        }
        TestSale longest = TestSale.unknown(environment());
        String id = longest.id() + "A".repeat(64 - longest.id().length());
        is(201, environment().api().asOperator().put("/v1/sales/" + id, body));
    }

    private static String items(int count) {
        return IntStream.range(0, count).mapToObj(i -> "{'sku':'i" + i + "','total':1}")
                .collect(Collectors.joining(",", "{'items':[", "]}"));
    }
}
