package dev.rush.sale;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rush.http.Json;
import dev.rush.http.ProblemException;
import dev.rush.http.Refusals;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A purchase's body is refused as {@code invalid-request}, or means what a plain JSON reader finds
 * in it, in the format of the script.
 */
class PurchaseBodyFuzzTest {
    private static final Json JSON = new Json();
    private static final ObjectMapper PLAIN = new ObjectMapper();
    private static final long QUANTITY_MAX = 1_000_000;
    private static final String LINE = "(?!\\.{1,2}:)[A-Za-z0-9._-]{1,64}:[1-9][0-9]{0,7}";

    @FuzzTest(maxDuration = "1m")
    void bodyIsRefusedOrMeansWhatItSays(byte[] body) throws IOException {
        PurchaseLines lines;
        try {
            lines = JSON.read(body, PurchaseRequest.class).lines(QUANTITY_MAX);
        } catch (ProblemException refused) {
            Refusals.check(refused);
            return;
        }
        assertThat(lines.text()).matches(LINE + "(?:," + LINE + "){0,19}");
        assertThat(lines.units()).isEqualTo(units(PLAIN.readTree(body)));
        List<String> words = new ArrayList<>();
        lines.units().forEach((sku, quantity) -> words.add(sku + ":" + quantity));
        assertThat(String.join(",", words)).isEqualTo(lines.text());
        assertThat(lines.digest().length()).isBetween(1, 64);
        assertThat(reversed(lines).digest()).isEqualTo(lines.digest());
    }

    private static Map<String, Long> units(JsonNode request) {
        Map<String, Long> units = new TreeMap<>();
        for (JsonNode line : request.path("items")) {
            assertThat(line.path("sku").isTextual()).isTrue();
            long quantity = line.hasNonNull("quantity") ? line.path("quantity").longValue() : 1;
            units.merge(line.path("sku").asText(), quantity, Long::sum);
        }
        return units;
    }

    private static PurchaseLines reversed(PurchaseLines lines) {
        List<String> skus = new ArrayList<>(lines.units().keySet());
        Collections.reverse(skus);
        Map<String, Long> units = new LinkedHashMap<>();
        skus.forEach(sku -> units.put(sku, lines.units().get(sku)));
        return PurchaseLines.of(units);
    }
}
