package dev.rush.sale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rush.RushConfig.Durability;
import dev.rush.http.Json;
import dev.rush.http.ProblemException;
import dev.rush.http.Violations;
import dev.rush.offer.Durabilities;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** S1: which requests define a sale, and which are refused without calling Redis. */
class SaleDefinitionTest {

    private final Json json = new Json();

    private SaleDefinition define(String body) {
        byte[] bytes = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        return SaleDefinition.of("s", json.read(bytes, SaleRequest.class),
                new Durabilities(Durability.REDIS, true, true), 4);
    }

    private String refusal(String body) {
        try {
            return "accepted: " + define(body);
        } catch (ProblemException e) {
            return new String(e.problem().body(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void omittedFieldsHaveDefaults() {
        assertThat(define("{'items':[{'sku':'a','total':5}]}")).isEqualTo(define("{'title':'s',"
                + "'items':[{'sku':'a','title':'a','total':5,'limitPerUser':1}],"
                + "'maxQuantity':100,'duplicateGuard':'none','duplicateGuardWindow':'PT2S',"
                + "'returnRestoresLimit':true,'shards':1}"));
        assertThat(define("{'items':[{'sku':'a','total':5}]}").returnRestoresLimit()).isTrue();
        assertThat(define("{'returnRestoresLimit':false,'items':[{'sku':'a','total':5}]}")
                .returnRestoresLimit()).isFalse();
    }

    @Test
    void aDurabilityIsNeverWeakerThanTheServices() {
        assertThat(define("{'items':[{'sku':'a','total':5}]}").durability()).isNull();
        assertThat(define("{'durability':'replicas','items':[{'sku':'a','total':5}]}")
                .durability()).isEqualTo("replicas");
        assertThat(define("{'durability':'ledger','items':[{'sku':'a','total':5}]}")
                .durability()).isEqualTo("ledger");
        for (String level : new String[] {"none", "REDIS", ""}) {
            assertThat(refusal("{'durability':'" + level + "','items':[{'sku':'a','total':5}]}"))
                    .as(level).contains("\"durability\"");
        }
        Durabilities strict = new Durabilities(Durability.REPLICAS, true, true);
        assertThat(strict.of(null)).isEqualTo(Durability.REPLICAS);
        assertThat(strict.of("redis")).as("prepared when the service required less")
                .isEqualTo(Durability.REPLICAS);
        assertThat(strict.of("ledger")).isEqualTo(Durability.LEDGER);
        refused(strict, "redis");
        refused(new Durabilities(Durability.LEDGER, true, true), "replicas");
        refused(new Durabilities(Durability.REDIS, false, true), "replicas");
        refused(new Durabilities(Durability.REDIS, true, false), "ledger");
    }

    private static void refused(Durabilities durabilities, String level) {
        Violations violations = new Violations();
        durabilities.requested(level, violations);
        assertThatThrownBy(violations::check).isInstanceOf(ProblemException.class);
    }

    @Test
    void valuesAtTheirLimitsAreAccepted() {
        SaleDefinition sale = define("{'title':'" + "t".repeat(200) + "','shards':4,"
                + "'opensAt':'2030-01-01T00:00:00Z','closesAt':'2030-01-01T00:00:00.001Z',"
                + "'maxQuantity':1000000,'paymentWindow':'P30D','duplicateGuard':'cart',"
                + "'duplicateGuardWindow':'PT1H','items':[{'sku':'a','total':1000000000,"
                + "'limitPerUser':1000000000},{'sku':'b','total':0,'limitPerUser':0}]}");
        assertThat(sale.closesAt() - sale.opensAt()).isEqualTo(1);
        assertThat(sale.duplicateGuard().text()).isEqualTo("cart");
        assertThat(sale.duplicateGuardWindow()).isEqualTo(3_600_000);
        assertThat(sale.paymentWindow()).isEqualTo(2_592_000_000L);
        assertThat(sale.items()).containsExactly(
                new SaleDefinition.Item("a", "a", 1_000_000_000, 1_000_000_000),
                new SaleDefinition.Item("b", "b", 0, 0));
        assertThat(define("{'maxQuantity':1,'closesAt':'2030-01-01T00:00:00Z',"
                + "'duplicateGuard':'user','items':[{'sku':'a','total':5}]}").maxQuantity())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "{} | items",
        "{'items':[]} | items",
        "{'items':[null]} | items[0]",
        "{'items':[{'sku':'a b','total':1}]} | items[0].sku",
        "{'items':[{'sku':'a','total':1},{'sku':'a','total':1}]} | items[1].sku",
        "{'items':[{'sku':'a'}]} | items[0].total",
        "{'items':[{'sku':'a','total':-1}]} | items[0].total",
        "{'items':[{'sku':'a','total':1000000001}]} | items[0].total",
        "{'items':[{'sku':'a','total':1,'limitPerUser':-1}]} | items[0].limitPerUser",
        "{'items':[{'sku':'a','total':1,'limitPerUser':1000000001}]} | items[0].limitPerUser",
        "{'maxQuantity':0,'items':[{'sku':'a','total':1}]} | maxQuantity",
        "{'maxQuantity':1000001,'items':[{'sku':'a','total':1}]} | maxQuantity",
        "{'paymentWindow':'P31D','items':[{'sku':'a','total':1}]} | paymentWindow",
        "{'duplicateGuardWindow':'PT2H','items':[{'sku':'a','total':1}]} | duplicateGuardWindow",
        "{'duplicateGuard':'all','items':[{'sku':'a','total':1}]} | duplicateGuard",
        "{'shards':0,'items':[{'sku':'a','total':1}]} | shards",
        "{'shards':5,'items':[{'sku':'a','total':1}]} | shards",
        "{'opensAt':'2030-01-01T00:00:00Z','closesAt':'2030-01-01T00:00:00Z',"
            + "'items':[{'sku':'a','total':1}]} | closesAt",
        "{'title':'a\\u0000','items':[{'sku':'a','total':1}]} | title",
        "{'items':[{'sku':'a','title':'\\u0007','total':1}]} | items[0].title",
    })
    void hostileDefinitionIsRefusedByField(String body, String field) {
        assertThat(refusal(body)).contains("\"field\":\"" + field + "\"");
    }

    @Test
    void titlesAndItemsHaveLimits() {
        assertThat(refusal("{'title':'" + "t".repeat(201) + "','items':[{'sku':'a','total':1}]}"))
                .contains("\"title\"");
        String items = IntStream.range(0, 100).mapToObj(i -> "{'sku':'a" + i + "','total':1}")
                .collect(Collectors.joining(","));
        assertThat(define("{'items':[" + items + "]}").items()).hasSize(100);
        assertThat(refusal("{'items':[" + items + ",{'sku':'b','total':1}]}"))
                .contains("\"items\"");
        assertThat(refusal("{'items':" + Collections.nCopies(2, "{'sku':'','total':1}") + "}"))
                .contains("\"items[0].sku\"");
    }
}
