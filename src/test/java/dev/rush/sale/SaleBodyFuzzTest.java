package dev.rush.sale;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rush.RushConfig.Durability;
import dev.rush.http.Json;
import dev.rush.http.ProblemException;
import dev.rush.http.Refusals;
import dev.rush.http.Texts;
import dev.rush.http.Times;
import dev.rush.offer.Durabilities;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A sale's body is refused as {@code invalid-request}, or becomes a definition within all limits
 * that Redis gives back as it was, and whose own terms, sent as a request, mean the same.
 */
class SaleBodyFuzzTest {
    private static final Json JSON = new Json();
    private static final int SHARDS_MAX = 16;
    private static final Durabilities DURABILITIES = new Durabilities(Durability.REDIS, true, true);

    @FuzzTest(maxDuration = "1m")
    void bodyIsRefusedOrMeansASaleThatCanBeKept(byte[] body) throws IOException {
        SaleDefinition sale;
        try {
            sale = SaleDefinition.of("a-sale", JSON.read(body, SaleRequest.class),
                    DURABILITIES, SHARDS_MAX);
        } catch (ProblemException refused) {
            Refusals.check(refused);
            return;
        }
        within(sale);
        assertThat(JSON.read(JSON.write(sale), SaleDefinition.class)).isEqualTo(sale);
        SaleRequest again = JSON.read(JSON.write(request(sale)), SaleRequest.class);
        assertThat(SaleDefinition.of("a-sale", again, DURABILITIES, SHARDS_MAX)).isEqualTo(sale);
        // 0 means no time, so a time that was given must not become 0.
        var named = new ObjectMapper().readTree(body);
        assertThat(sale.opensAt() == 0).isEqualTo(!named.hasNonNull("opensAt"));
        assertThat(sale.closesAt() == 0).isEqualTo(!named.hasNonNull("closesAt"));
        assertThat(sale.paymentWindow() == 0).isEqualTo(!named.hasNonNull("paymentWindow"));
    }

    private static void within(SaleDefinition sale) {
        assertThat(Texts.isPrintable(sale.title())).isTrue();
        assertThat(sale.title().length()).isLessThanOrEqualTo(200);
        assertThat(sale.items()).hasSizeBetween(1, 100).allSatisfy(item -> {
            assertThat(Texts.isId(item.sku())).isTrue();
            assertThat(Texts.isPrintable(item.title())).isTrue();
            assertThat(item.total()).isBetween(0L, SaleDefinition.TOTAL_MAX);
            assertThat(item.limitPerUser()).isBetween(0L, SaleDefinition.TOTAL_MAX);
        });
        assertThat(sale.items().stream().map(SaleDefinition.Item::sku)).doesNotHaveDuplicates();
        assertThat(sale.closesAt() == 0 || sale.closesAt() > sale.opensAt()).isTrue();
        assertThat(sale.maxQuantity()).isBetween(1L, 1_000_000L);
        assertThat(sale.duplicateGuardWindow()).isBetween(1L, 3_600_000L);
        assertThat(sale.shards()).isBetween(1, SHARDS_MAX);
    }

    private static Map<String, Object> request(SaleDefinition sale) {
        List<Map<String, Object>> items = new ArrayList<>();
        sale.items().forEach(item -> items.add(Map.of("sku", item.sku(), "title", item.title(),
                "total", item.total(), "limitPerUser", item.limitPerUser())));
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("title", sale.title());
        request.put("opensAt", Times.text(sale.opensAt()));
        request.put("closesAt", Times.text(sale.closesAt()));
        request.put("items", items);
        request.put("maxQuantity", sale.maxQuantity());
        request.put("paymentWindow", sale.paymentWindow() == 0 ? null
                : Duration.ofMillis(sale.paymentWindow()).toString());
        request.put("duplicateGuard", sale.duplicateGuard().text());
        request.put("duplicateGuardWindow",
                Duration.ofMillis(sale.duplicateGuardWindow()).toString());
        request.put("returnRestoresLimit", sale.returnRestoresLimit());
        request.put("durability", sale.durability());
        request.put("shards", sale.shards());
        return request;
    }
}
